"""Whether the files that browsers get have been collected; without them no page can be shown."""

import logging
from typing import Any

from django.contrib.staticfiles.storage import ManifestFilesMixin, staticfiles_storage
from django.core.checks import CheckMessage, Error, register

logger = logging.getLogger(__name__)

_EVERY_PAGE = "site/site.css"
PROBLEM = "The static files are not collected, so every page fails."
HINT = "Run `manage.py collectstatic --noinput` with the same settings, then start the site again."


def are_collected() -> bool:
    """Say whether pages can name their static files; always where no manifest is needed (DEBUG)."""
    if not isinstance(staticfiles_storage, ManifestFilesMixin):
        return True
    try:
        staticfiles_storage.stored_name(_EVERY_PAGE)
    except ValueError:
        return False
    return True


@register(deploy=True)
def check_static_files(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Fail `manage.py check --deploy` where the files are not collected."""
    return [] if are_collected() else [Error(PROBLEM, hint=HINT, id="chembench_site.E001")]


def say_if_missing() -> None:
    """Write the reason to the log when the site starts without its files."""
    if not are_collected():
        logger.critical("%s %s", PROBLEM, HINT)
