"""Find the unit of a written number: behind it, in brackets, in front of its equals sign, or on a line of its own."""

import re

from corpus.scoring.glyphs import one_spelling, without_latex
from corpus.scoring.units import is_written_unit, leading_unit

MAX_UNIT_LENGTH = 32

# Letters of any script: a unit that nobody here knows is a unit all the same.
_LETTER = r"[A-Za-zµΩÅ°%‰$€\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]"
_UNIT = re.compile(rf"\\?{_LETTER}[^\s,;()/]*(?:(?:[ ·×*/]{{1,3}}[A-Za-zµΩÅ°%]| ?/ ?\()[^\s,;]*){{0,3}}")
_END_OF_SENTENCE = re.compile(r"[.!?]\s|\n")
_LABELLED = re.compile(r"(?:in|units?\s?[:=]|units?\sof)\s{0,3}", re.IGNORECASE)
_BRACKETED = re.compile(
    r"\s{0,3}(?:\((?P<round>(?:[^()]|\([^()]{1,16}\)){1,32})\)|\[(?P<square>[^\[\]]{1,32})\]"
    r"|\{(?P<curly>(?:[^{}]|\{[^{}]{1,8}\}){1,32})\})"
)


def unit_of(rest: str) -> str:
    """Return the unit at the start of `rest`, or "" where words follow in place of one."""
    bracketed = bracketed_unit(rest)
    if bracketed:
        return bracketed
    trimmed = rest.strip().rstrip(".,;:! ").lstrip("×* ")
    trimmed = trimmed if "(" in trimmed else trimmed.rstrip(") ")
    labelled = _LABELLED.match(trimmed)
    if labelled is not None and (unit := leading_unit(trimmed[labelled.end() :])):
        return unit
    if " " in trimmed:
        trimmed = _END_OF_SENTENCE.split(trimmed, maxsplit=1)[0]
    match = _UNIT.match(trimmed)
    if match is None:
        return ""
    return leading_unit(trimmed) if len(trimmed) > MAX_UNIT_LENGTH else match.group()


def bracketed_unit(text: str) -> str:
    """Return the unit in the brackets with which `text` begins (`(mg)`, `[in mg]`), "" where they hold none."""
    match = _BRACKETED.match(text)
    if match is None:
        return ""
    inner = next(filter(None, match.groups()), "").strip()
    labelled = _LABELLED.match(inner)
    return leading_unit(inner if labelled is None else inner[labelled.end() :])


# A unit of one letter, by which the quantity in front of it is divided; any other letter may be a quantity (`n/V`).
_QUANTITIES = frozenset(
    [
        "t/K",
        "e/V",
        "u/V",
        "e°/V",
        "i/A",
        "t/s",
        "t/h",
        "l/m",
        "d/m",
        "h/m",
        "c/M",
        "p/W",
        "q/C",
        "f/N",
        "m/g",
        "v/L",
        "e/J",
    ]
    + [
        "q/J",
        "w/J",
        "mass/g",
        "volume/L",
        "time/s",
        "time/h",
        "temperature/K",
        "voltage/V",
        "concentration/M",
        "energy/J",
    ]
)
_QUANTITY = re.compile(
    r"(?P<name>[^\W\d][\w°^-]{0,15})\s?(?:/\s?(?P<over>[^\s()\[\]/]{1,16}|\([^()]{1,24}\))"
    r"|(?P<brackets>[(\[][^()\[\]]{1,24}[)\]])|,?\sin\s(?P<words>[^\s()]{1,16}))\s?\Z"
)
_MAX_LEFT = 60


def unit_of_quantity(left: str) -> str:
    """Return the unit that a left side states: `V/mL`, `m (mg)`, `m in mg`; "" for none."""
    match = _QUANTITY.search(left[-_MAX_LEFT:])
    if match is None:
        return ""
    unit = (match["over"] or match["brackets"] or match["words"]).strip("()[] ")
    name = match["name"]
    if not is_written_unit(unit) or name == "g" or (len(name) > 1 and is_written_unit(name)):
        return ""
    return unit if len(unit) > 1 or f"{name.lower()}/{unit}" in _QUANTITIES else ""


_CLOSING = r"(?:[ \t*_$.\])}]|\\[\])]|\[/?[A-Z_]{1,14}\]|</?[A-Za-z_]{1,14}>){0,12}"
_LABEL = r"[-•*_#\s]{0,8}\bunits?[*_]{0,2}\s?[:=][*_ ]{0,4}(?P<unit>[A-Za-zµΩÅ°%\\$][^\n]{0,23})"
_UNDER = re.compile(rf"{_CLOSING}\n{_LABEL}", re.IGNORECASE)
_OVER = re.compile(rf"(?:\A|\n){_LABEL}\n[^\n\d=]{{0,40}}\Z", re.IGNORECASE)
# `Answer (in mg): 500`, `Mass in mg: 500`.
_IN_LABEL = re.compile(
    r"(?:[(\[](?:in\s)?(?P<brackets>[^()\[\]\n]{1,16})[)\]]|\sin\s(?P<words>[^\s()\[\]:]{1,16}))[*_]{0,2}\s?(?:is|=|:)[*_\s$\\([]{0,6}\Z"
)
_NO_UNIT = re.compile(r"(?:none|no\b|n/?a\b|not?\s|dimensionless|unitless|the\b|-)", re.IGNORECASE)
_MAX_OVER = 100


def unit_beside(text: str, start: int, end: int) -> str:
    """Return the unit in the label of the answer at `start`, or on a line of its own under or over it (`Unit: mg`)."""
    label = _IN_LABEL.search(text, max(start - _MAX_OVER, 0), start)
    if label is not None and is_written_unit(unit := (label["brackets"] or label["words"]).strip()):
        return unit
    line = _UNDER.match(text, end) or _OVER.search(text, max(start - _MAX_OVER, 0), start)
    if line is None or _NO_UNIT.match(line["unit"]):
        return ""
    return without_latex(one_spelling(line["unit"])).strip(" .*_")
