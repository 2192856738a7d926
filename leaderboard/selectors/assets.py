"""Files that come from npm at set-up and may be missing."""

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage

CHART_SCRIPT = "plotly/plotly-cartesian.min.js"


def chart_script_url() -> str:
    """Return the address of the chart library, or "" where it has not been collected."""
    try:
        url = staticfiles_storage.url(CHART_SCRIPT)
    except ValueError:
        # A storage with a manifest refuses names that are not in it.
        return ""
    is_there = finders.find(CHART_SCRIPT) is not None or staticfiles_storage.exists(CHART_SCRIPT)
    return url if is_there else ""
