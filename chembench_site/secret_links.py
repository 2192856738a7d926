"""Addresses that are keys, kept out of the log: personal links, and links that end reminders."""

import copy
import logging
import re
from typing import Any

from django.http import HttpRequest

SECRET_PART = re.compile(r"(/(?:resume|reminders/stop)/)[^/?#\s\"'<>]+")
# The server's own loggers: the first two have handlers of their own, which a filter on ours does not reach.
SERVER_LOGGERS = ("django.server", "gunicorn.access", "gunicorn.error")


def without_secret(text: str) -> str:
    """Write `[link]` in place of what makes an address a key."""
    return SECRET_PART.sub(r"\1[link]", text)


class SecretLinkFilter(logging.Filter):
    """Takes the secret part of links out of a record: its message, its arguments and the request it carries."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Clean the record, and let it pass."""
        record.msg = _cleaned(record.msg)
        if isinstance(record.args, dict):
            args = copy.copy(record.args)
            args.update({name: _cleaned(value) for name, value in record.args.items()})
            record.args = args
        elif record.args:
            record.args = tuple(_cleaned(value) for value in record.args)
        request = getattr(record, "request", None)
        if isinstance(request, HttpRequest):
            record.request = _request_cleaned(request)
        return True


def filter_server_logs() -> None:
    """Clean what the server itself logs, whatever handlers it has."""
    for name in SERVER_LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(known, SecretLinkFilter) for known in logger.filters):
            logger.addFilter(SecretLinkFilter())


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return without_secret(value)
    if value is None or isinstance(value, int | float):
        return value
    text = str(value)
    cleaned = without_secret(text)
    return value if cleaned == text else cleaned


def _request_cleaned(request: HttpRequest) -> HttpRequest:
    """Return a copy for the log: the request itself is still being answered."""
    shown = request.__class__.__new__(request.__class__)
    shown.__dict__.update(request.__dict__)
    shown.path, shown.path_info = without_secret(request.path), without_secret(request.path_info)
    shown.META = {name: _cleaned(value) if isinstance(value, str) else value for name, value in request.META.items()}
    return shown
