"""Configuration of the site itself."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "chembench_site"

    def ready(self) -> None:
        """Register the site's own checks, and keep secret links out of the server's logs."""
        from chembench_site import static_files  # noqa: F401 - checks register when they are imported
        from chembench_site.secret_links import filter_server_logs

        filter_server_logs()
