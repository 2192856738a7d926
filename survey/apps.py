"""Configuration of the survey app."""

from django.apps import AppConfig


class SurveyConfig(AppConfig):
    name = "survey"
    default_auto_field = "django.db.models.BigAutoField"
