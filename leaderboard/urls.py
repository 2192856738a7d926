"""Addresses of the leaderboard pages."""

from django.urls import URLPattern

app_name = "leaderboard"
urlpatterns: list[URLPattern] = []
