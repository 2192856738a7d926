"""The identity of options and of what a question says."""

import hashlib
import json
import unicodedata
from collections.abc import Iterable
from decimal import Decimal

OPTION_KEY_LENGTH = 32


def normalised_option_text(text: str) -> str:
    """Return `text` in Unicode form NFC, trimmed, every run of white space as one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def option_key(text: str) -> str:
    """Return the identity of an option: 32 hex digits of the SHA-256 of its normalised text."""
    digest = hashlib.sha256(normalised_option_text(text).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:OPTION_KEY_LENGTH]


def content_hash(
    *,
    kind: str,
    stem: str,
    options: Iterable[tuple[str, Decimal]] = (),
    target: str = "",
    tolerance: str = "",
    unit: str = "",
    other: object = None,
) -> str:
    """Return 64 hex digits that are equal for two revisions exactly when everything they say is equal.

    `options` are (text, credit) in the bank's order; `other` is whatever else the question says, as JSON.
    """
    listed = [[text, f"{credit:.4f}"] for text, credit in options]
    said = json.dumps([kind, stem, listed, target, tolerance, unit, other], sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()


def members_hash(revision_ids: Iterable[int]) -> str:
    """Return 64 hex digits for an ordered list of question revisions."""
    listed = ",".join(str(pk) for pk in revision_ids)
    return hashlib.sha256(listed.encode()).hexdigest()
