"""Which environment variables may be sent to an endpoint as its key: those for providers, never another secret."""

import re

from django.conf import settings

_OWN = re.compile(r"\A(SECRET_KEY\w*|DJANGO_\w+|DATABASE_\w+|REDIS_\w+|POSTGRES_\w+|PG\w+|\w*PASSWORD\w*)\Z")
_ENDING = "_API_KEY"


def key_name_problem(name: str) -> str:
    """Return why the variable must not be sent to an endpoint, or "" when it may.

    It may when it ends in `_API_KEY`, or when whoever runs the site lists it in EVALUATION_KEY_NAMES.
    """
    if _OWN.match(name):
        return f"{name} is a secret of this site; name a variable that holds nothing but the provider's key."
    if not name.endswith(_ENDING) and name not in settings.EVALUATION_KEY_NAMES:
        return (
            f"{name} does not end in {_ENDING}, so it may be a secret for something else. Name a variable that ends in "
            f"{_ENDING}, or list {name} in the environment variable EVALUATION_KEY_NAMES of site and worker."
        )
    return ""
