"""Configuration of the survey app."""

from django.apps import AppConfig


class SurveyConfig(AppConfig):
    name = "survey"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Show what people said about a question on its page in the admin."""
        from corpus.question_panels import register_panel
        from survey.question_panel import comments_panel

        register_panel(comments_panel)
