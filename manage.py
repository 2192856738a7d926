#!/usr/bin/env python
"""Django's command line for the site."""

import os
import sys

from chembench_site.embedded_queue import COMMANDS_THAT_QUEUE, ensure_running


def start_embedded_queue() -> None:
    """See to it that the embedded queue answers, if the settings name it."""
    from django.conf import settings

    if settings.QUEUE_IS_EMBEDDED:
        ensure_running(settings.DATA_DIR)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "chembench_site.settings.base")
    from django.core.management import execute_from_command_line

    asks_for_help = {"-h", "--help"}.intersection(sys.argv)
    if COMMANDS_THAT_QUEUE.intersection(sys.argv[1:2]) and not asks_for_help:
        start_embedded_queue()
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
