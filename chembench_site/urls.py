"""Every address of the site; each app names its own pages."""

from django.contrib import admin
from django.urls import include, path

from chembench_site.health import healthz

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("admin/", admin.site.urls),
    path("survey/", include("survey.urls")),
    path("", include("leaderboard.urls")),
]
