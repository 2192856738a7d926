"""Configuration of the site itself."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "chembench_site"

    def ready(self) -> None:
        """Register the site's own checks, keep secret links out of server logs, and collect garbage less often."""
        from chembench_site import static_files  # noqa: F401 - checks register when they are imported
        from chembench_site.cyclic_garbage import collect_less_often
        from chembench_site.secret_links import filter_server_logs

        filter_server_logs()
        collect_less_often()
