"""Take keys out of messages before anyone stores, logs or shows them."""

import base64
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from urllib.parse import unquote

REMOVED = "[key removed]"
# A key shorter than this, or a mere word, is a placeholder such as "none", which is no secret and may stand in one.
_SHORTEST_KEY = 6
_LONGEST_WORD = 11
_WORD = re.compile(r"(?:[A-Z]?[a-z]+|[A-Z]+)(?:[-_](?:[A-Z]?[a-z]+|[A-Z]+))*")
_SHORTEST_KEY_IN_A_REPLY = 16
# So many characters of a key in a row say something of it; fewer may be any word. Of longer keys only.
_SHORTEST_PIECE = 8
_SHORTEST_KEY_IN_PIECES = 16
# What is kept of somebody else's words is a fraction of this.
_LONGEST_LOOKED_AT = 20_000
# What providers echo of a key: whole, or its beginning and end with stars between.
_KEY_LIKE = re.compile(
    r"(?i)\b(?:sk|gsk|pk|rk|xai|hf|api|key)[-_][A-Za-z0-9*._-]{8,}|\bbearer\s+[A-Za-z0-9*._~+/=-]{6,}"
)
# A name and a password before a host, with or without what an address begins with, and as a header has them. Each half
# ends at what it cannot hold, so that no place is looked at twice.
_BEFORE_HOST = re.compile(r"(?<=//)[^\s/@:]*:[^\s/]+(?=@)")
_WITHOUT_SCHEME = re.compile(
    r"(?!mailto:)[\w.+-]+:[^\s/@:\[\]()]{3,}@[\w-]+(?:\.[\w-]+)*(?::\d+)?(?:/\S*)?", re.IGNORECASE
)
# The same within a sentence, where a ratio, a time and an address for mail have colons and signs of their own.
_WITHIN_A_SENTENCE = re.compile(
    r"(?<![\w.+:@/-])(?!(?:mailto|e-?mail|contact|support):)([A-Za-z][\w.+-]*:)[^\s/@:\[\]()]{3,}(?=@[A-Za-z])",
    re.IGNORECASE,
)
_BASIC = re.compile(
    r"(?i)\b(basic(?:[ \t+]|%20|%09)+)((?:[A-Za-z0-9+/_-]|%2[BF]){4,}(?:=|%3D){0,2})",
)
# One character, plain or percent-encoded.
_CHARACTER = re.compile(r"%[0-9A-Fa-f]{2}|.", re.DOTALL)


# Narrower, for what a maintainer enters: no word of an address or a parameter may be taken for a key.
_ENTERED_KEY = re.compile(
    r"(?i)\b(?:sk|gsk|pk|rk)[-_][A-Za-z0-9._-]{6,}|\b(?:hf_|xai-)[A-Za-z0-9]{16,}|\bbearer\s+\S{4,}"
    # Keys of code hosts and clouds, and signed tokens.
    r"|\b(?:gh[a-z]_|github_pat_|AIza|AKIA)[A-Za-z0-9_-]{16,}|\beyJ[\w-]{8,}\.eyJ[\w-]{8,}"
)


def looks_like_key(text: str) -> bool:
    """Say whether a text that somebody entered, percent-encoded or not, holds something shaped like a key."""
    return any(_holds_key(each) for each in {text, unquote(text)})


def _holds_key(text: str) -> bool:
    if _ENTERED_KEY.search(text) or _BEFORE_HOST.search(text) or _WITHOUT_SCHEME.fullmatch(text):
        return True
    return any(_is_name_and_password(found[2]) for found in _BASIC.finditer(" ".join(text.split())))


def _is_name_and_password(word: str) -> bool:
    """Say whether a word is what stands behind `Basic` in a header: name, colon and password in base64."""
    padded = (unquote(word) if "%" in word else word).rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        plain = base64.b64decode(padded + "=" * (-len(padded) % 4), validate=True).decode()
    except ValueError:
        return False
    return ":" in plain and plain.isprintable()


def heard(text: str, keys: Iterable[str] = (), *, length: int = 300) -> str:
    """Return what somebody else's server said, fit to be stored and shown: without keys first, then shortened."""
    return redact(text[:_LONGEST_LOOKED_AT], keys)[:length]


def redact(text: str, keys: Iterable[str] = ()) -> str:
    """Return `text` without the given keys and without anything shaped like one.

    A key is found in capitals or small letters, percent-encoded wholly or in part, and in base64; of a long key also
    every piece, as of one that is told by its beginning and end.
    """
    for key in keys:
        if len(key) >= _SHORTEST_KEY and not _is_word(key):
            text = _spellings(key).sub(REMOVED, text)
            for part in _base64_parts(key.encode()):
                text = text.replace(part, REMOVED)
        if len(key) >= _SHORTEST_KEY_IN_PIECES:
            text = _without_pieces(text, key)
    text = _BASIC.sub(lambda found: f"{found[1]}{REMOVED}" if _is_name_and_password(found[2]) else found[0], text)
    text = _WITHIN_A_SENTENCE.sub(lambda found: f"{found[1]}{REMOVED}", _BEFORE_HOST.sub(REMOVED, text))
    return _KEY_LIKE.sub(REMOVED, text)


def reply_without_key(text: str, key: str) -> str:
    """Return a model's own words, in which nothing changes but the key itself, should a server echo it there.

    Short keys stay: local servers take words such as `ollama` for one, and those may be part of an answer.
    """
    return text.replace(key, REMOVED) if len(key) >= _SHORTEST_KEY_IN_A_REPLY else text


def _is_word(key: str) -> bool:
    """Say whether a key is a word such as `ollama` or `lm-studio`: local servers want one, whichever it is."""
    return len(key) <= _LONGEST_WORD and bool(_WORD.fullmatch(key))


@lru_cache(maxsize=8)
def _spellings(key: str) -> re.Pattern[str]:
    """Match a key whose characters are, each for itself, plain or percent-encoded, in capitals or small letters."""
    return re.compile("".join(f"(?:{re.escape(each)}|{_percent_encoded(each)})" for each in key), re.IGNORECASE)


def _without_pieces(text: str, key: str) -> str:
    """Return `text` without whatever holds eight characters of `key` in a row, plain or percent-encoded."""
    pieces = _pieces(key)
    places = list(_CHARACTER.finditer(text))
    plain = "".join(unquote(place[0]).lower()[:1] for place in places)
    left: list[str] = []
    done, start = 0, 0
    while start + _SHORTEST_PIECE <= len(plain):
        end = start
        while plain[end : end + _SHORTEST_PIECE] in pieces:
            end += 1
        if end > start:
            end += _SHORTEST_PIECE - 1
            left += [text[done : places[start].start()], REMOVED]
            done = places[end - 1].end()
        start = max(end, start + 1)
    return "".join([*left, text[done:]])


@lru_cache(maxsize=8)
def _pieces(key: str) -> frozenset[str]:
    small = key.lower()
    return frozenset(small[at : at + _SHORTEST_PIECE] for at in range(len(small) - _SHORTEST_PIECE + 1))


def _percent_encoded(character: str) -> str:
    encoded = "".join(f"%{byte:02x}" for byte in character.encode("utf-8", "replace"))
    return rf"{encoded}|\+" if character == " " else encoded


def _base64_parts(key: bytes) -> Iterator[str]:
    """Give what stands for `key` in any base64 text: as a whole, and, beside other bytes, as far as it is fixed."""
    for encode in (base64.standard_b64encode, base64.urlsafe_b64encode):
        yield encode(key).decode()
        for n_before in range(3):
            # Four characters stand for three bytes; those that also hold bits of a neighbour are not fixed.
            fixed = slice(-(-8 * n_before // 6), 8 * (n_before + len(key)) // 6)
            yield encode(bytes(n_before) + key).decode()[fixed]
