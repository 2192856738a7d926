"""Draw the name a participant is known by."""

import secrets

COLOURS = (
    *("amber", "azure", "copper", "coral", "crimson", "cyan", "emerald", "golden", "indigo", "ivory", "jade"),
    *("lilac", "maroon", "ochre", "olive", "orange", "purple", "ruby", "saffron", "scarlet", "silver", "teal"),
)
ANIMALS = (
    *("badger", "bison", "crane", "curlew", "dolphin", "falcon", "finch", "gecko", "heron", "ibex", "jackdaw"),
    *("kestrel", "lynx", "marten", "newt", "otter", "owl", "plover", "raven", "robin", "salmon", "seal", "stork"),
)


def pseudonym_draw() -> str:
    """Return a name such as `copper-heron-407` that says nothing about the person."""
    number = 100 + secrets.randbelow(900)
    return f"{secrets.choice(COLOURS)}-{secrets.choice(ANIMALS)}-{number}"
