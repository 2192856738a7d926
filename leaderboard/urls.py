"""Addresses of the leaderboard pages and of the API."""

from django.urls import path

from leaderboard import about_views, compare_views, humans_views, own_views, question_views, snapshot_views, views
from leaderboard.api import api
from leaderboard.api_docs import api_docs

app_name = "leaderboard"
urlpatterns = [
    path("", views.home, name="home"),
    path("leaderboard/<slug:slug>/", views.board, name="board"),
    path("leaderboard/<slug:slug>/topics/", views.topics, name="topics"),
    path("leaderboard/<slug:slug>/topics/chart.json", views.topics_chart, name="topics-chart"),
    path("leaderboard/<slug:slug>/share.png", views.share_image, name="share-image"),
    path("leaderboard/<slug:slug>/chart.json", views.chart, name="chart"),
    path("leaderboard/<slug:slug>/compare/", compare_views.compare, name="compare"),
    path("leaderboard/<slug:slug>/compare/chart.json", compare_views.chart, name="compare-chart"),
    path("leaderboard/<slug:slug>/compare/differences.csv", compare_views.differences, name="compare-csv"),
    path("leaderboard/<slug:slug>/compare/questions/", compare_views.questions, name="compare-questions"),
    path("leaderboard/<slug:slug>/humans/", humans_views.humans, name="humans"),
    path("leaderboard/<slug:slug>/questions/", question_views.questions, name="questions"),
    path("leaderboard/<slug:slug>/questions/<int:question_id>/", question_views.question, name="question"),
    path("systems/<slug:slug>/", views.system, name="system"),
    path("methods/", views.methods, name="methods"),
    path("about/", about_views.about, name="about"),
    path("snapshots/", snapshot_views.snapshots, name="snapshots"),
    path("snapshots/changes/", snapshot_views.changes, name="snapshot-changes"),
    path("snapshots/<int:number>/", snapshot_views.snapshot, name="snapshot"),
    path("snapshots/<int:number>.json", snapshot_views.snapshot_json, name="snapshot-json"),
    path("snapshots/<int:number>.csv", snapshot_views.snapshot_csv, name="snapshot-csv"),
    # An address among those of the survey: the page is a participant's, and its figures are the boards'.
    path("survey/<slug:study_slug>/result/", own_views.result, name="own-result"),
    path("api/v1/docs/", api_docs, name="api-docs"),
    path("api/v1/", api.urls),
]
