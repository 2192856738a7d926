"""Outgoing mail: `EMAIL_URL`. Without it nothing is sent; with `DEBUG`, mail is printed to the console."""

from typing import Any

import environ


def mail_from_environment(env: environ.Env, *, debug: bool) -> dict[str, Any]:
    """Return Django's mail settings. The address of a server is `smtp+tls://user:password@host:587`."""
    default = "consolemail://" if debug else "dummymail://"
    url = env.str("EMAIL_URL", default="") or default
    sender = env.str("EMAIL_FROM", default="") or "webmaster@localhost"
    seconds = env.int("EMAIL_TIMEOUT_SECONDS", default=20)
    return {**env.email_url_config(url), "DEFAULT_FROM_EMAIL": sender, "EMAIL_TIMEOUT": seconds}
