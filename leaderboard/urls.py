"""Addresses of the leaderboard pages and of the API."""

from django.urls import path

from leaderboard import (
    about_views,
    compare_views,
    confidence_views,
    factors_views,
    humans_views,
    outcomes_views,
    own_views,
    question_views,
    robustness_views,
    scale_views,
    snapshot_views,
    views,
)
from leaderboard.api_docs import api_docs
from leaderboard.api_statistics import api

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
    path("leaderboard/<slug:slug>/humans/humans.csv", humans_views.humans_csv, name="humans-csv"),
    path("leaderboard/<slug:slug>/outcomes/", outcomes_views.outcomes, name="outcomes"),
    path("leaderboard/<slug:slug>/outcomes/outcomes.csv", outcomes_views.outcomes_csv, name="outcomes-csv"),
    path("leaderboard/<slug:slug>/factors/", factors_views.factors, name="factors"),
    path("leaderboard/<slug:slug>/factors/chart.json", factors_views.chart, name="factors-chart"),
    path("leaderboard/<slug:slug>/factors/factors.csv", factors_views.factors_csv, name="factors-csv"),
    path("leaderboard/<slug:slug>/factors/runs.csv", factors_views.runs_csv, name="factors-runs"),
    path("leaderboard/<slug:slug>/confidence/", confidence_views.confidence, name="confidence"),
    path("leaderboard/<slug:slug>/confidence/chart.json", confidence_views.chart, name="confidence-chart"),
    path("leaderboard/<slug:slug>/confidence/distribution.json", confidence_views.distribution, name="confidence-bars"),
    path("leaderboard/<slug:slug>/confidence/levels.csv", confidence_views.levels, name="confidence-csv"),
    path("leaderboard/<slug:slug>/robustness/", robustness_views.robustness, name="robustness"),
    path("leaderboard/<slug:slug>/robustness/sources.csv", robustness_views.sources_csv, name="robustness-sources"),
    path("leaderboard/<slug:slug>/robustness/sets.csv", robustness_views.agreement_csv, name="robustness-sets"),
    path("leaderboard/<slug:slug>/robustness/systems.csv", robustness_views.systems_csv, name="robustness-systems"),
    path("leaderboard/<slug:slug>/scale/", scale_views.scale, name="scale"),
    path("leaderboard/<slug:slug>/scale/chart.json", scale_views.chart, name="scale-chart"),
    path("leaderboard/<slug:slug>/scale/scale.csv", scale_views.scale_csv, name="scale-csv"),
    path("leaderboard/<slug:slug>/questions/questions.csv", question_views.questions_csv, name="questions-csv"),
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
