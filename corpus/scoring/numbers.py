"""Read one number as chemists write it; a text that may mean two numbers is not read."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from corpus.scoring.denials import DENIED, holds_wrong, is_denied, is_denied_copula
from corpus.scoring.glyphs import one_spelling, without_latex, without_markdown
from corpus.scoring.number_grammar import NumberToken, match_number
from corpus.scoring.number_labels import LABEL, is_label
from corpus.scoring.number_lines import EXPLAINING, is_list_of_results, is_rounded, lines_in_front
from corpus.scoring.number_units import unit_of, unit_of_quantity
from corpus.scoring.number_words import (
    ALL_WORDS,
    is_counted,
    number_word,
    roman_numeral,
    states_another_count,
    without_isotope,
    without_same_count,
)
from corpus.scoring.types import Unread
from corpus.scoring.units import is_known_unit

SEVERAL_NUMBERS = "several-numbers"
TRANSFORMED = "transformed"
MAX_LENGTH = 400


@dataclass(frozen=True, slots=True)
class NumberRead:
    """A number with the unit written behind it ("" for none) and notes on how it was written."""

    value: Decimal
    unit: str = ""
    notes: tuple[str, ...] = ()


_PLAIN = re.compile(r"\s*([+-]?(?:\d{1,60}\.?\d{0,60}|\.\d{1,60})(?:[eE][+-]?\d{1,4})?)\s*", re.ASCII)

_LEAD_IN = re.compile(
    r"(?:approximately|approx\.?|about|around|roughly|circa|ca\.|nearly|almost|exactly|precisely|only|"
    r"is|are|equals?|the|final|answer|value|result|number|there|(?:it|that)['’]s|it|this|pH|pOH|pKa|pKb|[≈~:=→⇒∴]|€|£)(?![A-Za-z])\s{0,3}",
    re.IGNORECASE,
)
_SIGN_WORD = re.compile(r"(minus|negative|plus|positive)\s{1,3}(?=[\d.])", re.IGNORECASE)
_SEPARATED = re.compile(r"[,;\n]\s|\band\b|\bor\b", re.IGNORECASE)
_EQUALS = re.compile(r"[=≈]")


def parse_number(text: str) -> NumberRead | None:
    """Return the one number that `text` states, or None.

    Ranges, alternatives, unevaluated expressions and texts with a second number are None, never the first of them.
    """
    read = read_number(text)
    return read if isinstance(read, NumberRead) else None


def read_number(text: str) -> NumberRead | Unread:
    """Like `parse_number`, with the reason where nothing was read."""
    plain = _PLAIN.fullmatch(text)
    if plain is not None:
        return NumberRead(Decimal(plain.group(1)))
    if len(text) > MAX_LENGTH:
        return Unread("The text is too long to be a number.")
    return _read_spelled(_normalised(text))


# A dot between spaces is a times sign in front of a power of ten, and nowhere else.
_IN_WORDS = (
    (re.compile(r"(?<=\d)\s(?:times|multiplied\sby)\s(?=10\b)", re.IGNORECASE), " × "),
    (re.compile(r"(?<=\b10)\s(?:raised\s)?to\sthe\s(?:power\s(?:of\s)?)?(?=[-+]?\d{1,3}\b)", re.IGNORECASE), "^"),
)
# Braces that hold nothing but a number (`{10}^{-{3}}`, `{10^{-3}}`), and a power raised twice (`10^⁻³`, `10^-3^`).
_BRACED = (
    (re.compile(r"(?<![\^_\w}])\{\s?([0-9]{1,12}(?:\.[0-9]{1,12})?)\s?\}(?!\{)"), r"\1"),
    (re.compile(r"(?<![\^_\w}])\{\s?(10\s?\^\s?(?:\{[^{}]{1,8}\}|[+-]?[0-9]{1,3}))\s?\}"), r"\1"),
    (re.compile(r"\^\s?\^"), "^"),
    (re.compile(r"(?<=10)\^([+-]?[0-9]{1,3})\^(?![\w{(+-])"), r"^\1"),
)
_DOT_FOR_TIMES = re.compile(r"(?<=\d) ?[.] (?=10 ?\^)|(?<=\d) [.](?=10 ?\^)")


def _normalised(text: str) -> str:
    plain = without_markdown(without_latex(one_spelling(text)))
    for pattern, replacement in _IN_WORDS:
        plain = pattern.sub(replacement, plain)
    if "{" in plain or "^" in plain:
        for pattern, replacement in _BRACED:
            plain = pattern.sub(replacement, plain)
    return _trimmed(_DOT_FOR_TIMES.sub(" × ", plain))


def _trimmed(text: str) -> str:
    """Drop quotes, sentence marks and a pair of brackets around the whole."""
    previous = None
    while text != previous:
        previous = text
        text = text.strip().lstrip("\"'?;:").rstrip("\"'!?;:").rstrip(".,").strip()
        if len(text) > 1 and (text[0], text[-1]) in {("(", ")"), ("[", "]"), ("{", "}")} and _closes_last(text):
            text = text[1:-1]
    return text


def _closes_last(text: str) -> bool:
    """Tell whether the first bracket is closed by the last character and by none before."""
    opening, closing = text[0], text[-1]
    return closing not in text[1:-1] and opening not in text[1:-1]


def _read_spelled(text: str) -> NumberRead | Unread:
    if not text:
        return Unread("There is nothing to read.")
    equated = _right_hand_side(text)
    if isinstance(equated, Unread):
        return equated
    value = _read_word(equated)
    if value is not None:
        return value
    read = _read_line(equated)
    if equated is text or isinstance(read, Unread):
        return read
    if _stands_under_another(text, equated, read.value):
        return Unread("Another number stands in front of the equation.", SEVERAL_NUMBERS)
    if not read.unit and "\n" not in text and (unit := unit_of_quantity(_EQUALS.split(text, maxsplit=1)[0])):
        return replace(read, unit=unit)
    return replace(read, notes=(*read.notes, TRANSFORMED)) if _is_transformed(text) else read


def _read_line(text: str) -> NumberRead | Unread:
    return _read_digits(_without_lead_in(_without_remark(text)))


def _stands_under_another(text: str, equated: str, value: Decimal) -> bool:
    """Tell whether a line in front of the last equation is a number of its own, and not the same again."""
    if equated not in _EQUALS.split(text)[-1]:
        return False
    for line in lines_in_front(text):
        read = _read_word(line) or _read_line(line)
        if isinstance(read, NumberRead) and not is_rounded(read.value, value):
            return True
    return False


# `x = 5, y = 6`: several results, none of which follows from the others.
_SIDE_BY_SIDE = re.compile(
    r"[^\W\d]\w{0,19}\s?[=≈][^=≈,;]+(?:(?:[,;]|\band\b|\bor\b)\s{0,2}(?:(?:and|or)\s)?[^\W\d]\w{0,19}\s?[=≈][^=≈,;]+)+"
)
_TRANSFORM = re.compile(r"(?<![A-Za-z])(?:log|ln|lg|exp|sqrt|√)(?![a-z])|(?<![\w.])1\s?/\s?[A-Za-z(]|[A-Za-z)]\s?\^")


def _is_transformed(text: str) -> bool:
    """Tell whether the first left side is a function of a quantity: `log K = 5`, `1/T = 5`."""
    sign = _EQUALS.search(text)
    return sign is not None and _TRANSFORM.search(text, 0, sign.start()) is not None


def _right_hand_side(text: str) -> str | Unread:
    """Return what follows the last equals sign; several equations side by side state several numbers."""
    signs = list(_EQUALS.finditer(text))
    if not signs:
        return text
    if (stated := _before_bracket(text) if "(" in text else None) is not None:
        return stated
    if _SIDE_BY_SIDE.fullmatch(text) or ("\n" in text and is_list_of_results(text)):
        return Unread("Several equations stand side by side.", SEVERAL_NUMBERS)
    between = text[signs[0].end() : signs[-1].start()]
    if _SEPARATED.search(between):
        conditional = _before_condition(text)
        return conditional if isinstance(conditional, Unread) else Unread("Several equations stand side by side.")
    if is_denied_copula(text, signs[-1].start()):
        return Unread("The equation is denied.", DENIED)
    if _is_another_quantity(between, text[signs[-1].end() :]) or _is_beside_number(text[: signs[0].start()]):
        return Unread("Several equations stand side by side.", SEVERAL_NUMBERS)
    right = _trimmed(text[signs[-1].end() :])
    if len(signs) == 1 and _NAME.fullmatch(right) and _states_number(left := _trimmed(text[: signs[0].start()])):
        return left
    return _before_condition(text) or right


# `10 (4n+2, n = 2)`: equations in a bracket say where the number in front of it comes from, unless they go on from it.
_BRACKET = re.compile(
    r"\s\((?!\s?(?:[=≈]|(?:so|thus|hence|therefore|giving|or|that\sis)\b|i\.e\.))(?:[^()]|\([^()]{0,80}\)){1,300}(?:\)|\Z)"
)
_FREE_NUMBER = re.compile(r"(?<![A-Za-z0-9_^])[0-9]")


def _before_bracket(text: str) -> str | Unread | None:
    """Return the result in front of a bracket that holds the last equation; None where no number stands there."""
    brackets = (bracket for bracket in _BRACKET.finditer(text) if _EQUALS.search(bracket.group()))
    bracket = next(brackets, None)
    if bracket is None or _EQUALS.search(text, bracket.end()):
        return None
    front = _trimmed(text[: bracket.start()])
    result = _right_hand_side(front)
    if isinstance(result, str) and _states_number(result):
        return f"{result} {text[bracket.end() :]}".strip()
    if isinstance(result, Unread) or _FREE_NUMBER.search(front):
        return Unread("What stands before a bracket is not one number.", SEVERAL_NUMBERS)
    return None


def _states_number(text: str) -> bool:
    return isinstance(_read_word(text) or _read_digits(_without_lead_in(text)), NumberRead)


_NAME_BEHIND = re.compile(r"(?:[,;]\s{1,3}(?:and\s)?[^\W\d]\w{0,9}|(?<=\d)[ ](?:pO?H|pK_?[abw]))\s?\Z")
# `2.9 = pOH`: an equation the other way round.
_NAME = re.compile(r"[^\W\d][\w()\[\]{}]{0,19}")


def _is_beside_number(left: str) -> bool:
    """Tell whether the first left side is a name behind a number of its own: `10, n` of `10, n = 2`."""
    name = _NAME_BEHIND.search(left)
    return name is not None and _states_number(_trimmed(left[: name.start()]))


# Between two equals signs a number with a unit goes on as `3 L = 3000 mL`, another quantity as `n=3 l=2`.
_NEXT_QUANTITY = re.compile(r"\s{0,3}[+-]?\d[\d.]*\s{1,3}(?P<name>[A-Za-z](?:_\w{1,3})?)(?P<space>\s?)")
_UNITLESS = re.compile(r"\s{0,3}[+-]?\d[\d./]*\s*")


def _is_another_quantity(between: str, behind: str) -> bool:
    """Tell whether the last equation of several is one of its own, of a quantity that no unit is spelt like."""
    quantity = _NEXT_QUANTITY.fullmatch(between)
    if quantity is None:
        return False
    is_glued = not quantity["space"] and not behind.startswith(" ") and _UNITLESS.fullmatch(behind) is not None
    return is_glued or not is_known_unit(quantity["name"])


# `42 g because n = 3`, `k = 2 at T = 300`: what stands before is the result, complete in itself.
_CONDITION = re.compile(
    r",?\s(?:because|since|with|where|when|if|given|assuming|using|for|at|from|by|via|based\son|according\sto|due\sto)\s"
    rf"(?=[^=≈]*[=≈])|(?:\.\s|\n\s{{0,3}}){EXPLAINING}\b"
)


_COPULA = re.compile(r"\b(?:is|are|equals|be)\s", re.IGNORECASE)


def _before_condition(text: str) -> str | Unread:
    """Return the result in front of the first condition, or "" where none is stated there.

    What is separated from the condition may be a condition as well or another result.
    """
    condition = _CONDITION.search(text)
    if condition is None:
        return ""
    front = text[: condition.start()]
    result = _right_hand_side(_trimmed(_COPULA.split(front)[-1] if _EQUALS.search(front) is None else front))
    if isinstance(result, Unread) or not _states_number(result):
        return ""
    if _SEPARATED.search(text, condition.end()):
        return Unread("Several equations stand behind one number.", SEVERAL_NUMBERS)
    return result if len(_EQUALS.findall(text, condition.end())) == 1 else ""


def _without_lead_in(text: str) -> str:
    position = 0
    while (match := _LEAD_IN.match(text, position)) is not None:
        position = match.end()
    text = text[position:].strip()
    signed = _SIGN_WORD.match(text)
    if signed is not None:
        sign = "-" if signed.group(1).lower() in {"minus", "negative"} else ""
        text = sign + text[signed.end() :]
    return text


_COUNT = r"(?:\d{1,2}|one|two|three|four|five|six)"
_FIGURES = r"(?:s\.?\s?f\.?|sig(?:nificant|\.)?\s?(?:fig(?:ure)?s?|digits?)\.?|decimals?(?:\splaces?)?|d\.?p\.?)"
_CONDITIONS = (
    r"at\s(?:about\s)?(?:-?\d{1,4}(?:\.\d{1,3})?\s?(?:°\s?C|K|degrees(?:\sCelsius)?|atm|bar|kPa|Pa|M)|STP|SATP|pH\s\d{1,2}"
    r"(?:\.\d{1,2})?|(?:room|standard|this)\s[a-z]{4,12})"
)
_REMARK = re.compile(
    r"\s\((?:measured\s|calculated\s)?(?:at|using|assuming)\s[^()]{1,60}\)\Z"
    rf"|,?\s\(?(?:(?:rounded\s)?(?:to|with|in)\s)?{_COUNT}\s?{_FIGURES}\)?\Z"
    r"|,?\s\((?:with\s)?(?:(?:my\s)?confidence\s?(?:level\s?)?[:=]?\s?\d{1,3}\s?%|\d{1,3}\s?%\s(?:confidence|confident|sure))\)\Z"
    r"|(?<=[A-Za-zµΩÅ°%])\s?\(?(?:±|\+/-|\+-)\s?\d[\d.]{0,9}\s?[A-Za-zµ°%/]{0,12}\)?\Z"
    r"|,?\s\(?(?:and\s)?not\s[-+]?\d[\d.,]{0,12}(?:\s?[A-Za-z%°][A-Za-z/%°]{0,12})?\)?\Z"
    rf"|\s{_CONDITIONS}(?:\sand\s(?:at\s)?\d{{1,4}}(?:\.\d{{1,3}})?\s?(?:atm|bar|kPa|Pa|°\s?C|K))?\Z",
    re.IGNORECASE,
)


def _without_remark(text: str) -> str:
    """Drop what says under which condition or how exactly a number holds: `7.4 (at 25 °C)`, `5.2 g (3 s.f.)`."""
    return _REMARK.sub("", text) if " " in text else text


_SAID_TWICE = re.compile(r"(?P<word>[A-Za-z-]{2,20})\s?\((?P<digits>\d{1,4})\)(?P<rest>\s[A-Za-z- ]{2,60})?")


def _read_word(text: str) -> NumberRead | Unread | None:
    if text[:1].isdigit():
        return None
    twice = _SAID_TWICE.fullmatch(text)
    if twice is not None:
        value = number_word(twice["word"])
        return _read_counted(value, twice["rest"] or "") if value == int(twice["digits"]) else None
    value = roman_numeral(text)
    if value is not None:
        return NumberRead(Decimal(value), notes=("roman-numeral",))
    stated = _without_lead_in(text) if " " in text else text
    value = number_word(stated)
    if value is not None:
        return _read_counted(value, "")
    word, space, things = stated.partition(" ")
    things = without_isotope(space + things).lstrip()
    value = number_word(word) if is_counted(things) else None
    return None if value is None else _read_counted(value, space + things)


def _read_counted(value: int, rest: str) -> NumberRead | Unread:
    """Read a number word and what it counts (`five signals`)."""
    return _with_rest(NumberToken(Decimal(value), 0, ("number-word",)), rest)


_RANGE = re.compile(r"\s{0,3}(?:-|to\b|or\b|and\b|/|:|,|;|±|\.\.+|\bup to\b)\s{0,3}[+-]?\.?\d", re.IGNORECASE)
_OPERATOR = re.compile(r"\s{0,3}(?:-$|[×*](?!\s?[A-Za-zµΩÅ]{2})|[+^=<>]|/\s?\d|[xX]\s?\d|-\s?[\d(])")
_UNIT_EXPONENT = re.compile(r"(?:[A-Za-zµΩÅ°)][\^_]?|\^|/)[({]?[+-]?\d{1,2}[)}]?")
# `5 to ten`, `5 mL, up to several`; `to` in front of any other word is of a purpose (`needed to neutralise`).
_OPEN_ENDED = re.compile(
    r"\b(?:or|more|less|fewer|than|between|at\sleast|at\smost)\b|\A\s{0,3}to\b"
    rf"|\bto\s(?:about\s|around\s|nearly\s|over\s)?(?:{ALL_WORDS}|several|many|infinity|a\s(?:few|dozen|hundred))(?![\w-])",
    re.IGNORECASE,
)
_MULTIPLIER_VALUES = {
    word: Decimal(value)
    for word, value in {
        "dozen": 12,
        "hundred": 100,
        "thousand": 1000,
        "million": 10**6,
        "billion": 10**9,
        "trillion": 10**12,
    }.items()
}
_MULTIPLIER = re.compile(rf"\s{{0,3}}-?({'|'.join(_MULTIPLIER_VALUES)})s?(?![A-Za-z])", re.IGNORECASE)
# What changes the number in front of it, where no unit is spelt like it; `K` is the kelvin, `k` alone no unit.
_FACTOR = re.compile(
    rf"\s{{0,3}}[×*]\s?(?i:{ALL_WORDS})(?![A-Za-z])|"
    r"\s{0,3}-?(?:(?i:tenths?|(?:hundred|thousand|million|billion)ths?|hal(?:f|ves)|thirds?|quarters?|squared|cubed|"
    r"factorial|pi(?![\s-](?:bond|electron|system|orbital))|times|divided|multiplied|plus|minus|log|ln|exp|sqrt|and\s(?:an?|one|two|three))(?![A-Za-z])"
    r"|e\s?\^\s?[({]{0,2}[+-]?[0-9A-Za-z]|E\s?(?:\^|[({]\s?[+-]?\d)"
    r"|k(?![A-Za-z])|[eED][+-]?\d|d\d|[eE]\s*$|(?:E\s?[+-]|e\s?\+)\s*$|\.\s?10\s?\^)"
)
# Constants and variables of formulas, which no unit is spelt like.
_SYMBOL = re.compile(
    r"\s{0,3}(?:RT|R(?![\s-](?:groups?|substituents?|stereo|cent(?:er|re)s?|chains?|configur))"
    r"|k_?\{?B?\}?T|k_\{?B\}?|N_\{?A\}?|h/\s?m|ħ|\\hbar)(?![A-Za-z])"
)
_PERCENT_OF = re.compile(r"\s{0,3}%\s{1,3}of\b", re.IGNORECASE)
_VARIABLE = re.compile(r"\s{0,2}(?:[xyzn](?![A-Za-z])|π(?![\s-](?:bond|electron|system|orbital))|√)")


def _read_digits(text: str) -> NumberRead | Unread:
    token = match_number(text) or _match_bracketed(text)
    if token is None:
        return Unread("There is no number at the start of the answer.")
    return _with_rest(token, text[token.end :])


def _match_bracketed(text: str) -> NumberToken | None:
    """Read `(4.15 x 10^-21) mol`: brackets around the whole number, a unit behind them."""
    inside, closing, _ = text.partition(")")
    if not closing or not inside.startswith("("):
        return None
    token = match_number(inside[1:])
    if token is None or inside[1 + token.end :].strip():
        return None
    return token._replace(end=len(inside) + 1)


def _as_other_than_number(rest: str) -> Unread | None:
    """Return why a number is none of its own before `rest`; None where it is."""
    if _FACTOR.match(rest) or _SYMBOL.match(rest):
        return Unread("An expression, not a number.", "expression")
    if is_label(rest):
        return Unread("A name or label, not a number.", LABEL)
    if is_denied(rest) or holds_wrong(rest):
        return Unread("The number is said to be wrong.", DENIED)
    return None


def _with_rest(token: NumberToken, rest: str) -> NumberRead | Unread:
    """Accept a number when what follows is a unit or words, refuse it when that makes it another number."""
    rest = without_isotope(rest) if rest.startswith(" ") else rest
    if not rest:
        return NumberRead(token.value, notes=token.notes)
    multiplier = _MULTIPLIER.match(rest)
    if multiplier is not None:
        scaled = token.value * _MULTIPLIER_VALUES[multiplier.group(1).lower()]
        return _with_rest(token._replace(value=scaled), rest[multiplier.end() :])
    if (unread := _as_other_than_number(rest)) is not None:
        return unread
    if _PERCENT_OF.match(rest):
        return NumberRead(token.value, "%", token.notes)
    if _RANGE.match(rest):
        return Unread("A range or alternatives, not one number.", "range")
    if _OPERATOR.match(rest) or _VARIABLE.match(rest):
        return Unread("An expression, not a number.", "expression")
    if " " in rest and states_another_count(rest, token.value):
        return Unread("Another count follows in words.", SEVERAL_NUMBERS)
    words = _UNIT_EXPONENT.sub("", without_same_count(rest, token.value))
    if any(character.isdigit() for character in words):
        return Unread("More than one number.", SEVERAL_NUMBERS)
    if _OPEN_ENDED.search(words):
        return Unread("An open-ended amount, not one number.", "range")
    return NumberRead(token.value, unit_of(rest), token.notes)
