"""WSGI entry point for gunicorn."""

import os
from importlib import import_module

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "chembench_site.settings.base")

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from chembench_site.embedded_queue import ensure_running
from chembench_site.static_files import say_if_missing
from chembench_site.text_encoding import Utf8Only

application = Utf8Only(get_wsgi_application())
# The modules of all pages are read now, and not while the first reader waits.
import_module(settings.ROOT_URLCONF)
say_if_missing()

if settings.QUEUE_IS_EMBEDDED:
    ensure_running(settings.DATA_DIR)
