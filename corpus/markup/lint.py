"""Finds what is wrong in question markup: stable codes for reports, messages an author can act on."""

import re
from dataclasses import dataclass

from corpus.markup.controls import Control, find_controls, make_visible
from corpus.markup.formula import formula_html
from corpus.markup.katex import FormulaError, KatexMissingError
from corpus.markup.molecules import reaction_problem, smiles_problem
from corpus.markup.segments import (
    BRACES_UNBALANCED,
    Broken,
    Chemical,
    Math,
    ReactionSmiles,
    Segment,
    Smiles,
    Text,
    Unit,
    braces_balanced,
    parse,
)

CONTROL_CHARACTER = "control-character"
SMILES_INVALID = "smiles-invalid"
REACTION_INVALID = "reaction-invalid"
FORMULA_INVALID = "formula-invalid"
FORMULA_UNCHECKED = "formula-unchecked"
MACRO_OUTSIDE_MATH = "macro-outside-math"

_EXCERPT_LENGTH = 80
_BRACE = re.compile(r"[{}]")
_MACRO = re.compile(r"\\(?:[A-Za-z]{2,}|\{)")


@dataclass(frozen=True, slots=True)
class MarkupFinding:
    """One fault: a stable code, a message for the author, and the piece of source it is about."""

    code: str
    message: str
    excerpt: str


def lint_markup(source: str) -> tuple[MarkupFinding, ...]:
    """Return every fault of ``source`` in order of appearance; none means that all of it can be shown."""
    segments = parse(source)
    findings: list[MarkupFinding] = []
    for segment in segments:
        findings += _control_findings(segment)
        findings += _segment_findings(segment)
    return tuple(findings + _text_brace_findings(segments))


def _control_findings(segment: Segment) -> list[MarkupFinding]:
    in_formula = isinstance(segment, Math | Chemical | Unit)
    return [
        MarkupFinding(CONTROL_CHARACTER, _control_message(control), _around(segment.source, control))
        for control in find_controls(segment.source, in_formula=in_formula)
    ]


def _segment_findings(segment: Segment) -> list[MarkupFinding]:
    match segment:
        case Text():
            return _text_findings(segment)
        case Math() | Chemical() | Unit():
            return _formula_findings(segment)
        case Smiles():
            return _finding(SMILES_INVALID, smiles_problem(segment.body), segment.body)
        case ReactionSmiles():
            return _finding(REACTION_INVALID, reaction_problem(segment.body), segment.body)
        case Broken():
            return _finding(segment.code, segment.reason, segment.source)


def _text_findings(segment: Text) -> list[MarkupFinding]:
    macro = _MACRO.search(segment.source)
    if macro is None:
        return []
    message = f"{macro.group()} stands outside a formula and is shown as it is written"
    return _finding(MACRO_OUTSIDE_MATH, message, segment.source[macro.start() :])


def _text_brace_findings(segments: tuple[Segment, ...]) -> list[MarkupFinding]:
    """Match the braces of the text across the markup inside it; a backslash before one changes nothing."""
    text = "".join(segment.source for segment in segments if isinstance(segment, Text))
    if braces_balanced(text.replace("\\", "")):
        return []
    around = next(segment.source for segment in segments if isinstance(segment, Text) and _BRACE.search(segment.source))
    return _finding(BRACES_UNBALANCED, "a brace in the text has no partner", around)


def _formula_findings(segment: Math | Chemical | Unit) -> list[MarkupFinding]:
    if find_controls(segment.body, in_formula=True):
        return []
    if not braces_balanced(segment.body):
        return _finding(BRACES_UNBALANCED, "a brace in the formula has no partner", segment.source)
    try:
        formula_html(segment)
    except FormulaError as error:
        return _finding(FORMULA_INVALID, str(error), segment.source)
    except KatexMissingError as error:
        return _finding(FORMULA_UNCHECKED, str(error), segment.source)
    return []


def _finding(code: str, message: str | None, excerpt: str) -> list[MarkupFinding]:
    return [] if message is None else [MarkupFinding(code, message, _shortened(excerpt))]


def _control_message(control: Control) -> str:
    if control.meant:
        rest = control.meant[2:]
        written = control.meant.replace("\\", "\\\\")
        return (
            f'a {control.name} before "{rest}": {control.meant} was probably meant; in JSON it is written "{written}"'
        )
    return f"an invisible {control.name}: remove it"


def _around(source: str, control: Control) -> str:
    return _shortened(source[max(0, control.position - 20) : control.position + 40])


def _shortened(excerpt: str) -> str:
    visible = " ".join(make_visible(excerpt, in_formula=True).split())
    return visible if len(visible) <= _EXCERPT_LENGTH else visible[: _EXCERPT_LENGTH - 1] + "…"
