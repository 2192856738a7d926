"""Characters nobody can see: what a lone backslash in JSON leaves behind, and how to show it."""

import re
from typing import NamedTuple

_MACROS_BY_CONTROL = {
    "\a": "alpha angle approx asymp arcsin arccos arctan arrow",
    "\b": "bar begin beta bf big bigg bigl bigr binom bm boldsymbol bot boxed bullet",
    "\t": "tan tanh tau tbinom text textbf textit textrm tfrac therefore theta tilde times tiny to top triangle",
    "\n": "nabla ne nearrow neg neq newline ni nolimits not notin nu",
    "\v": "varepsilon varphi varrho varsigma vartheta vdots vec vee vert",
    "\f": "fbox flat forall frac",
    "\r": "rangle rbrace rceil Re rfloor rho right rightarrow rightharpoonup rightleftharpoons rm root rule",
}
_LETTER = {"\a": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r"}
_NAMES = {
    "\a": "bell",
    "\b": "backspace",
    "\t": "tab",
    "\n": "line feed",
    "\v": "vertical tab",
    "\f": "form feed",
    "\r": "carriage return",
}
_RESTS = {control: frozenset(name[1:] for name in names.split()) for control, names in _MACROS_BY_CONTROL.items()}
_LETTERS = re.compile(r"[A-Za-z]*")
_SHORTEST_REST_IN_TEXT = {"\t": 3, "\n": 4}
_ORDINARY = {"\t", "\n"}
_CANDIDATE = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060\\u2066-\\u2069\\ufeff\\ufffe\\uffff\\ud800-\\udfff]"
)


class Control(NamedTuple):
    """An invisible character: where it is, which one, and the macro that was probably meant (or None)."""

    position: int
    character: str
    meant: str | None

    @property
    def name(self) -> str:
        return _NAMES.get(self.character, f"character U+{ord(self.character):04X}")


def find_controls(text: str, *, in_formula: bool = False) -> tuple[Control, ...]:
    """Return the invisible characters that do harm; line feeds, tabs and CR LF only before a macro's rest.

    In a formula a short rest is enough (a line feed before ``u`` was ``\\nu``); prose asks for a longer one.
    """
    found = []
    for match in _CANDIDATE.finditer(text):
        meant = _meant(text, match.start(), in_formula=in_formula)
        if meant or not _is_ordinary(text, match.start()):
            found.append(Control(match.start(), match.group(), meant))
    return tuple(found)


def make_visible(text: str, *, in_formula: bool = False) -> str:
    """Return ``text`` without invisible characters: damaged macros get a backslash back, the rest a symbol.

    CR LF and ordinary tabs become a line feed and a space.
    """
    pieces = []
    start = 0
    for control in find_controls(text, in_formula=in_formula):
        pieces += [text[start : control.position], _shown(control)]
        start = control.position + 1
    return "".join([*pieces, text[start:]]).replace("\r\n", "\n").replace("\t", " ")


def _shown(control: Control) -> str:
    if control.meant:
        return "\\" + _LETTER[control.character]
    code = ord(control.character)
    if code < 0x20:
        return chr(0x2400 + code)
    return f"<U+{code:04X}>"


def _is_ordinary(text: str, position: int) -> bool:
    character = text[position]
    return character in _ORDINARY or (character == "\r" and text[position + 1 : position + 2] == "\n")


def _meant(text: str, position: int, *, in_formula: bool) -> str | None:
    character = text[position]
    rests = _RESTS.get(character)
    letters = _LETTERS.match(text, position + 1)
    if rests is None or letters is None or letters.group() not in rests:
        return None
    if not in_formula and len(letters.group()) < _SHORTEST_REST_IN_TEXT.get(character, 1):
        return None
    return "\\" + _LETTER[character] + letters.group()
