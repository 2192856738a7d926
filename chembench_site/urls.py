"""Every address of the site; each app names its own pages."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("survey/", include("survey.urls")),
    path("", include("leaderboard.urls")),
]
