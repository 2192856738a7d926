"""The site's own settings, with an empty view beside its pages."""

from chembench_site.settings.base import *  # noqa: F403
from chembench_site.settings.base import STORAGES

ROOT_URLCONF = "bin.survey_load.urls"
# Nobody here fetches a static file; only their addresses are written.
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
