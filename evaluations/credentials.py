"""Find keys where a maintainer must not enter them. The words found are never repeated to anyone."""

import re
from collections.abc import Mapping
from typing import Any

from evaluations.redaction import looks_like_key

_NAMES = frozenset(
    {
        "auth",
        "bearer",
        "credential",
        "credentials",
        "defaultheaders",
        "extraheaders",
        "headers",
        "passwd",
        "secret",
        "secrets",
        "token",
    }
)
_ENDINGS = (
    "accesskey",
    "accesstoken",
    "apikey",
    "apitoken",
    "authorization",
    "authorizationtoken",
    "authtoken",
    "bearertoken",
    "cookie",
    "githubtoken",
    "password",
    "privatekey",
    "secret",
    "secretkey",
    "subscriptionkey",
)


def credential_inside(value: Any) -> bool:
    """Say whether a JSON value holds, at any depth, a text shaped like a key or a name under which keys are sent."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str) and looks_like_key(found):
            return True
        if isinstance(found, Mapping):
            if any(_is_credential_name(str(name)) for name in found):
                return True
            waiting += [*found, *found.values()]
        elif isinstance(found, list | tuple):
            waiting += found
    return False


def _is_credential_name(name: str) -> bool:
    plain = re.sub("[^a-z]", "", name.lower())
    return plain in _NAMES or plain.endswith(_ENDINGS)
