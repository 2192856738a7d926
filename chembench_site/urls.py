"""Every address of the site; each app names its own pages."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

from chembench_site.health import healthz
from chembench_site.robots import robots
from evaluations.api import api as contributor_api

admin.site.site_header = admin.site.site_title = settings.SITE_NAME

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("robots.txt", robots, name="robots"),
    path("admin/", admin.site.urls),
    path("survey/", include("survey.urls")),
    path("api/v1/contributor/", contributor_api.urls),
    path("", include("leaderboard.urls")),
]
