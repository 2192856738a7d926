"""From a formula segment to TeX that KaTeX takes, and what is wrong with it if it cannot be typeset."""

import re

from corpus.markup.controls import find_controls
from corpus.markup.katex import FormulaError, typeset
from corpus.markup.segments import Chemical, Formula, Math, braces_balanced

_BARE_PERCENT = re.compile(r"(?<!\\)((?:\\\\)*)%")


def to_tex(segment: Formula) -> str:
    """Return the TeX of a segment; a bare percent sign is a percent sign, never a comment."""
    body = _BARE_PERCENT.sub(r"\1\\%", segment.body)
    if isinstance(segment, Math):
        return body
    macro = r"\ce" if isinstance(segment, Chemical) else r"\pu"
    return f"{macro}{{{body}}}"


def damage(segment: Formula) -> str | None:
    """Return why the text of a formula is damaged (control characters, braces), or None."""
    controls = find_controls(segment.body, in_formula=True)
    if controls:
        return "the formula contains an invisible control character"
    if not braces_balanced(segment.body):
        return "the formula has unbalanced braces"
    return None


def formula_html(segment: Formula) -> str:
    """Return the HTML of a formula; raises FormulaError (damage included) and KatexMissingError."""
    problem = damage(segment)
    if problem:
        raise FormulaError(problem)
    return typeset(to_tex(segment), display=isinstance(segment, Math) and segment.display)
