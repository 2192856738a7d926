"""Tell whether words out of a text stand for all of it, or are a piece of its list, numerals, structure or name."""

import re

# The reason behind a statement may be left out: `Ethanol` stands for `Ethanol, because it ...`.
_REASON = re.compile(
    r"[,;:]?\s\(?(?:because|since|which|due\sto|owing\sto|so\sthat|as\s(?:it|they|the|this))\b", re.IGNORECASE
)
_JOINT = re.compile(
    r"[,;](?=\s|$)|[&+<>=/→⟶⇌]|-{1,2}>|\s[-–—]\s"
    r"|\b(?:and|or|nor|but|with|plus|then|than|followed\sby|while|whereas|as\swell\sas|both|either)\b",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"\(?(?:[a-z,()-]*(?:yl|ide|ate|ite|ium|ic|ous|ane|ene|yne|ine|ol|one|al|oxy|ose|amine|amide)|acid|ether|ester"
    r"|anhydride|iso|cis|trans|meta|ortho|para|\S*\d\S*|[A-Z]|[A-Z]\S*[A-Z]\S*|[IVX]+)\)?",
)
_PLAIN_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")
_BEFORE = re.compile(r"(?:^|\s)[\"'(\[]?\Z")
_BEHIND = re.compile(r"[\"')\].,;:!?]{0,2}(?:\s|$)")


def is_piece(whole: str, part: str) -> bool:
    """Tell whether `part`, words out of `whole`, leaves out more of it than a reason or words around it."""
    reason = _REASON.search(whole)
    stated = whole if reason is None else whole[: reason.start()]
    place = _find(stated, part)
    if place is None:
        stated, place = whole, _find(whole, part)
    if place is None:
        return True
    before, behind = stated[: place.start()], stated[place.end() :]
    if not _BEFORE.search(before) or not _BEHIND.match(behind):
        return True
    if _JOINT.search(before) or _JOINT.search(behind):
        return True
    return _splits_name(before.split()[-1:], part.split(), behind.split()[:1])


def _find(text: str, words: str) -> re.Match[str] | None:
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text)


def _splits_name(before: list[str], words: list[str], behind: list[str]) -> bool:
    """Tell whether a name, a formula or numerals go on beyond the part: `acid` of `acetic acid`, `2p6` of `2s2 2p6`."""
    seams = [(left, words[0]) for left in before] + [(words[-1], right) for right in behind]
    return any(_is_name(left) and _is_name(right) and not _is_amount(left, right) for left, right in seams)


def _is_amount(left: str, right: str) -> bool:
    """Tell whether a unit follows a number: `24` stands for `24 K` where no other option is 24."""
    return _PLAIN_NUMBER.fullmatch(left) is not None and right.isalpha()


def _is_name(word: str) -> bool:
    return _NAME.fullmatch(word.rstrip(".,;:")) is not None
