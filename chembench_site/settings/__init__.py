"""Settings of the site. The environment is read here, once; `.env.example` describes every name."""

from chembench_site.settings.base import *  # noqa: F403
