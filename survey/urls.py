"""Addresses of the survey pages."""

from django.urls import URLPattern

app_name = "survey"
urlpatterns: list[URLPattern] = []
