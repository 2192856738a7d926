"""One spelling for signs that are written in many ways: minus, times, superscripts, spaces, LaTeX commands."""

import html
import re
import unicodedata

from corpus.scoring.plain import unwrapped
from corpus.scoring.siunitx import plain_units

SUPERSCRIPTS = {"⁺": "+", "⁻": "-", "⁼": "=", "⁽": "(", "⁾": ")", "ⁿ": "n"} | {
    sign: str(digit) for digit, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")
}
_SUPERSCRIPT_RUN = re.compile("[" + "".join(SUPERSCRIPTS) + "]+")

_MINUS = "−–—‐‑‒﹣－˗➖"
_TIMES = "×✕✖⨯∙·⋅•∗＊"
_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_INVISIBLE = (
    "\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff\u00ad\u2061\u2062"
)
_QUOTES = {"’": "'", "‘": "'", "ʼ": "'", "′": "'", "´": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"'}
_APPROXIMATELY = "≈≃≅∼～≐"
_VULGAR = {"½": " 1/2", "⅓": " 1/3", "⅔": " 2/3", "¼": " 1/4", "¾": " 3/4", "⅕": " 1/5", "⅛": " 1/8", "⁄": "/"}
_FULL_WIDTH = {chr(code + 0xFEE0): chr(code) for code in range(0x21, 0x7F)}

_SUBSCRIPTS = {chr(0x2080 + place): sign for place, sign in enumerate("0123456789+-=()")}
# The mathematical alphabets: bold, italic, script and other letters and digits.
_STYLED = {
    sign: plain
    for sign in map(chr, range(0x1D400, 0x1D800))
    if (plain := unicodedata.normalize("NFKC", sign)) != sign and plain.isascii()
}

# Units in one character (`㎎`, `㎥`), and signs that are written for that of a degree.
_SQUARED = {
    sign: plain.replace("\u03bc", "µ")
    for sign in map(chr, range(0x3371, 0x33E0))
    if (plain := unicodedata.normalize("NFKC", sign)).replace("\u03bc", "u").isascii()
}
_DEGREES = {"℃": "°C", "℉": "°F", "º": "°", "˚": "°", "∘": "°"}
UNIT_GLYPHS = frozenset(_SQUARED | _DEGREES)

_TABLE = str.maketrans(
    _FULL_WIDTH
    | _SQUARED
    | _DEGREES
    | dict.fromkeys(_MINUS, "-")
    | dict.fromkeys(_TIMES, "×")
    | dict.fromkeys(_SPACES, " ")
    | dict.fromkeys(_INVISIBLE, "")
    | dict.fromkeys(_APPROXIMATELY, "≈")
    | _QUOTES
    | _VULGAR
    | _SUBSCRIPTS
    | _STYLED
    | {"、": ", ", "μ": "µ", "K": "K", "Å": "Å", "ℓ": "l"}
)

_LATEX_FRACTION = re.compile(r"\\[dtc]?frac\s?\{([^{}]{1,40})\}\s?\{([^{}]{1,40})\}")
_LATEX_COMMANDS = (
    (re.compile(r"\{\s?\\(?:rm|bf|it|sf|tt)(?![A-Za-z])\s?((?:[^{}]|\{[^{}]{0,20}\}){0,60})\}"), r"\1"),
    (re.compile(r"\\(?:degreeCelsius|(?:text)?[cC]elsius)(?![A-Za-z])(?:\{\})?"), "°C"),
    (re.compile(r"\\(?:(?:up|text)?mu|micro)(?![A-Za-z])(?:\{\}|\s(?=\\?(?:text|mathrm)?\{?[A-Za-z]))?"), "µ"),
    (re.compile(r"\\ang\s?\{([^{};]{1,20})\}"), r"\1°"),
    (re.compile(r"\\num\s?\{([^{}]{1,60})\}"), r"\1"),
    (re.compile(r"\\[dtc]?frac\s?([0-9])\s?([0-9])(?![0-9])"), r" \1/\2"),
    (re.compile(r"\\(?:times|cdot|ast|bullet)(?![A-Za-z])"), "×"),
    (re.compile(r"\\(?:approx|simeq|sim|thickapprox|cong)(?![A-Za-z])"), "≈"),
    (re.compile(r"\\pm(?![A-Za-z])"), "±"),
    (re.compile(r"\\pi(?![A-Za-z])"), "π"),
    (re.compile(r"\\sqrt(?![A-Za-z])"), "√"),
    (re.compile(r"(?:\{\})?\^?\s?\{?\\(?:circ|degree|textdegree)(?![A-Za-z])(?:\{\}|\})?"), "°"),
    (re.compile(r"\\Omega(?![A-Za-z])"), "Ω"),
    (re.compile(r"\\(?:AA|A|angstrom)(?![A-Za-z])"), "Å"),
    (re.compile(r"\\(?:left|right|displaystyle|rm|bf|big|Big|!)"), ""),
    (re.compile(r"\\(?:q?quad|en(?:space|skip)|(?:thin|med|thick|nobreak)?space|[,;:> ])"), " "),
    (re.compile(r"~(?=\d{3})|(?<=[\d}])~|(?<=\{)~(?=[A-Za-zµΩÅ°%\\])"), " "),
    (re.compile(r"\{([,.'])\}"), r"\1"),
)
# A box that is closed; one that is not may have been cut off.
_BOX = re.compile(r"\\(?:boxed|fbox)\s?\{((?:[^{}]|\{[^{}]{0,200}\}){0,200})\}")
_LATEX_DELIMITERS = (
    (re.compile(r"\$(?=\^)"), ""),
    (re.compile(r"\\([%$&_#{}])"), r"\1"),
    (re.compile(r"\\[()\[\]]|\$"), " "),
)


_RAISED_OR_LOWERED = re.compile(r"<(?P<tag>su[bp])>(?P<words>[^<>]{0,40})</(?P=tag)>", re.IGNORECASE)


_INLINE_TAG = re.compile(
    r"</?(?:b|i|u|em|strong|mark|code|span|p|div|li|ul|center|font)(?:\s[^<>]{0,80})?>", re.IGNORECASE
)
_ENTITY = re.compile(
    r"&(?:nbsp|thinsp|ensp|emsp|minus|times|middot|sdot|plusmn|deg|micro|mu|amp|lt|gt|le|ge|ndash|mdash|asymp|quot"
    r"|rarr|harr|larr|frac1[24]|frac34|sup[123]|#[0-9]{2,5}|#x[0-9a-f]{2,5});",
    re.IGNORECASE,
)


def _character(entity: re.Match[str]) -> str:
    return html.unescape(entity.group())


def one_spelling(text: str) -> str:
    """Return `text` with one character each for minus, times, space, quote and approximately.

    A run of superscripts becomes `^` and plain characters (`10⁻²¹` is `10^-21`), in HTML too. Letters keep their case.
    """
    if "</" in text:
        text = _INLINE_TAG.sub("", _RAISED_OR_LOWERED.sub(_untagged, text))
    if "&" in text and ";" in text:
        text = _ENTITY.sub(_character, text)
    if text.isascii():
        return text
    raised = _SUPERSCRIPT_RUN.sub(_raised, text)
    return raised.translate(_TABLE)


def _raised(run: re.Match[str]) -> str:
    return "^" + "".join(SUPERSCRIPTS[sign] for sign in run.group())


def _untagged(match: re.Match[str]) -> str:
    return ("^" if match["tag"].lower() == "sup" else "") + match["words"]


_SETTINGS = r"\s?(?:\[[^\[\]{}]{0,80}\])?"
_BRACED_UNIT = r"\{(?P<unit>(?:[^{}]|\{[^{}]{0,8}\}){0,80})\}"
_QUANTITY = re.compile(rf"\\(?:SI|qty){_SETTINGS}\{{(?P<number>[^{{}}]{{1,60}})\}}\s?{_BRACED_UNIT}")
_UNIT_COMMAND = re.compile(rf"\\(?:si|unit){_SETTINGS}{_BRACED_UNIT}")
# A space that is not broken, between a number and its unit.
_TIE = re.compile(r"(?<=\d)~(?=[A-Za-zµΩÅ°%])")


def _quantity(match: re.Match[str]) -> str:
    return f"{match['number']} {plain_units(match['unit'])}"


def _unit(match: re.Match[str]) -> str:
    return plain_units(match["unit"])


def without_latex(text: str) -> str:
    """Return `text` with LaTeX commands that matter to a number or a letter written plainly."""
    if "\\" not in text and "$" not in text and "{" not in text:
        return _TIE.sub(" ", text) if "~" in text else text
    if "\\" in text:
        text = _UNIT_COMMAND.sub(_unit, _QUANTITY.sub(_quantity, text))
    for pattern, replacement in _LATEX_COMMANDS:
        text = pattern.sub(replacement, text)
    text = _BOX.sub(r"\1", _LATEX_FRACTION.sub(r" \1/\2", unwrapped(text)))
    for pattern, replacement in _LATEX_DELIMITERS:
        text = pattern.sub(replacement, text)
    return text


_BOLD = re.compile(r"\*\*|__|`+")
_POWER_STARS = re.compile(r"(?<=\d)\*\*(?=\s?[-+(]?\d)")


def without_markdown(text: str) -> str:
    """Return `text` without bold, code and quoting marks; `10**-3` and `2**10` stay powers."""
    if "*" not in text and "`" not in text and "_" not in text:
        return text
    return _BOLD.sub("", _POWER_STARS.sub("^", text)).strip().strip("*_")
