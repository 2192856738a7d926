"""Addresses of the leaderboard pages and of the API."""

from django.urls import path

from leaderboard import own_views, views
from leaderboard.api import api

app_name = "leaderboard"
urlpatterns = [
    path("", views.home, name="home"),
    path("leaderboard/<slug:slug>/", views.board, name="board"),
    path("leaderboard/<slug:slug>/topics/", views.topics, name="topics"),
    path("leaderboard/<slug:slug>/chart.json", views.chart, name="chart"),
    path("systems/<slug:slug>/", views.system, name="system"),
    path("methods/", views.methods, name="methods"),
    # An address among those of the survey: the page is a participant's, and its figures are the boards'.
    path("survey/<slug:study_slug>/result/", own_views.result, name="own-result"),
    path("api/v1/", api.urls),
]
