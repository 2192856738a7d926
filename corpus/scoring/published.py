"""What is needed to read public ChemBench reports.

Letters in a report belong to the options in the prompt that was sent: question files were re-sorted after some
models had run, so neither today's file nor the order of `targets_` says what a letter meant.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal

from corpus.scoring.letters import option_letter
from corpus.scoring.plain import plain_text
from corpus.scoring.types import Asked, Kind, Reading, ReadStatus

READER = "as-published@1"
UNKNOWN_LETTER = "unknown-letter"
REPEATED_LETTER = "repeated-letter"

_OPTIONS_HEADING = re.compile(r"^Options:[ \t]*\n", re.MULTILINE)
_OPTION_LINE = re.compile(r"^([A-Z]{1,2})\. ?", re.MULTILINE)
_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")


class UnmatchedOptionsError(ValueError):
    """The options in a prompt and the options of the target are not the same set."""


def options_in_prompt(prompt: str) -> tuple[tuple[str, str], ...]:
    """Return (letter, text as sent) of the options block of `prompt`, or () where it has none.

    The block follows the last line `Options:` and ends at the first blank line.
    """
    headings = list(_OPTIONS_HEADING.finditer(prompt))
    if not headings:
        return ()
    start = headings[-1].end()
    blank = prompt.find("\n\n", start - 1)
    stop = len(prompt) if blank < 0 else max(blank, start)
    lines = _lines_in_letter_order(_OPTION_LINE.finditer(prompt, start, stop))
    ends = [line.start() for line in lines[1:]] + [stop]
    return tuple((line.group(1), prompt[line.end() : end].strip()) for line, end in zip(lines, ends, strict=False))


def _lines_in_letter_order(lines: Iterable[re.Match[str]]) -> list[re.Match[str]]:
    """Keep the lines that continue A, B, C, ...: an option's own text may hold a line such as `K. pneumoniae`."""
    kept: list[re.Match[str]] = []
    for line in lines:
        if line.group(1) == option_letter(len(kept)):
            kept.append(line)
    return kept


def match_options(prompt_options: Sequence[tuple[str, str]], targets: Mapping[str, int | float]) -> dict[str, str]:
    """Map each letter of the prompt to the option text of `targets` that it stood for.

    Texts are compared without markup, then by letters and digits alone; a single pair left over belongs together
    (a corrected misspelling). Raise `UnmatchedOptionsError` when that does not settle every option.
    """
    if len(prompt_options) != len(targets):
        raise UnmatchedOptionsError(f"The prompt shows {len(prompt_options)} options, the target has {len(targets)}.")
    matched: dict[str, str] = {}
    open_options, open_texts = list(prompt_options), list(targets)
    for form in (str, plain_text, _bare):
        open_options, open_texts = _matched_by(form, open_options, open_texts, matched)
    if len(open_options) == 1:
        matched[open_options.pop()[0]] = open_texts.pop()
    if open_options:
        raise UnmatchedOptionsError("No option of the target matches: " + ", ".join(x for x, _ in open_options))
    return {letter: matched[letter] for letter, _ in prompt_options}


def _bare(text: str) -> str:
    return _NOT_ALPHANUMERIC.sub("", plain_text(text))


def _matched_by(
    form: Callable[[str], str],
    options: list[tuple[str, str]],
    texts: list[str],
    matched: dict[str, str],
) -> tuple[list[tuple[str, str]], list[str]]:
    """Match the options whose `form` is unique on both sides; return the options and texts left over."""
    sent = Counter(form(text) for _, text in options)
    stored = Counter(form(text) for text in texts)
    by_form = {form(text): text for text in texts if stored[form(text)] == 1}
    for letter, text in options:
        shape = form(text)
        if sent[shape] == 1 and shape in by_form:
            matched[letter] = by_form[shape]
    used = set(matched.values())
    return [o for o in options if o[0] not in matched], [t for t in texts if t not in used]


def reading_from_parsed(*, parsed_output: object, asked: Asked) -> Reading:
    """Turn the stored parse of a report into a reading: a list of letters, a number, or `{}` for nothing.

    Letters outside the options are kept as the note `unknown-letter`, which no option can make good.
    """
    if asked.kind is Kind.CHOICE and isinstance(parsed_output, list | tuple) and parsed_output:
        return _stored_letters([str(letter).strip() for letter in parsed_output], asked)
    if asked.kind is Kind.NUMBER and isinstance(parsed_output, int | float):
        return _stored_number(parsed_output)
    return Reading(ReadStatus.UNPARSED, reader=READER, reason="The report stored no parsed answer.")


def _stored_letters(letters: list[str], asked: Asked) -> Reading:
    shown = {option.letter for option in asked.shown}
    keys = tuple(option.key for option in asked.shown if option.letter in letters)
    notes = []
    if not shown.issuperset(letters):
        notes.append(UNKNOWN_LETTER)
    if len(set(letters)) < len(letters):
        notes.append(REPEATED_LETTER)
    reason = f"The report stored the letters {', '.join(letters)}."
    return Reading(ReadStatus.READ, option_keys=keys, notes=tuple(notes), reader=READER, reason=reason)


def _stored_number(value: int | float) -> Reading:
    if isinstance(value, bool) or not math.isfinite(value):
        return Reading(ReadStatus.UNPARSED, reader=READER, reason="The report stored no finite number.")
    reason = f"The report stored the number {value!r}."
    return Reading(ReadStatus.READ, number=Decimal(repr(value)), reader=READER, reason=reason)
