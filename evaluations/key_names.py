"""Which environment variables may be sent to an endpoint as its key: never the site's own secrets."""

import re

_OWN = re.compile(r"\A(SECRET_KEY\w*|DJANGO_\w+|DATABASE_\w+|REDIS_\w+|POSTGRES_\w+|PG\w+|\w*PASSWORD\w*)\Z")
_ENDS_LIKE_A_KEY = ("KEY", "TOKEN")


def key_name_problem(name: str) -> str:
    """Return why the variable must not be sent to an endpoint, or "" when it may."""
    if _OWN.match(name):
        return f"{name} is a secret of this site; name a variable that holds nothing but the provider's key."
    if not name.endswith(_ENDS_LIKE_A_KEY):
        return f"{name} does not look like a key's name: name a variable that ends with KEY or TOKEN."
    return ""
