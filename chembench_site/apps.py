"""Configuration of the site itself."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "chembench_site"

    def ready(self) -> None:
        """Register the site's own checks."""
        from chembench_site import static_files  # noqa: F401 - checks register when they are imported
