"""Question files in the format of ChemBench: one JSON object with exactly one example per file.

What a row cannot say (how an option was spelt, whether a credit was a float) is kept in the metadata under
`AS_WRITTEN`, so that an export gives back exactly what came in.
"""

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NamedTuple

from corpus.importers.json_text import parsed_json, text_of
from corpus.importers.types import BankFile, ImportedOption, ImportedQuestion, RefusedError
from corpus.scoring.types import Kind
from corpus.services.questions import option_key

AS_WRITTEN = "_as_written"
OWN_FIELDS = ("name", "uuid", "description", "keywords", "examples")
EXAMPLE_FIELDS = ("input", "target", "target_scores")
TOLERANCE_FIELDS = ("relative_tolerance", "tolerance")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_LONGEST = {"key": 300, "name": 300, "uuid": 64, "path": 500, "unit": 60, "tolerance": 40}
_EXACT_PLACES = Decimal("0.0001")


def read_question(file: BankFile) -> ImportedQuestion:
    """Return the question of a file; raise RefusedError with a stable code and the reason.

    The key is `<last parent folder>-<file stem>-<name>`.
    """
    if file.problem:
        raise RefusedError("unreadable", file.problem)
    text = text_of(file.content)
    fields = parsed_json(text)
    if not isinstance(fields, dict):
        raise RefusedError("not-a-question", "The file holds no JSON object with a question.")
    written: dict[str, Any] = {}
    example = _only_example(fields)
    name = _text_field(fields, "name", written)
    if not name.strip():
        raise RefusedError("no-name", 'The question has no "name"; its key cannot be built without one.')
    limits = _limits(fields, example, written)
    question = ImportedQuestion(
        key=question_key(file, name),
        name=name,
        uuid=_text_field(fields, "uuid", written),
        description=_text_field(fields, "description", written),
        keywords=_keywords(fields, written),
        stem=_stem(example),
        source_path=file.path,
        original=text,
        **_answer(example, written),
        tolerance=limits.tolerance,
        unit=limits.unit,
        metadata=_metadata(fields, example, written),
    )
    _refuse_too_long(question)
    return question


def question_key(file: BankFile, name: str) -> str:
    """Return the identity of the question in `file`: last folder, file stem and name, joined by hyphens."""
    return "-".join([*file.folders[-1:], file.stem, name])


def _only_example(fields: dict[str, Any]) -> dict[str, Any]:
    examples = fields.get("examples")
    if not isinstance(examples, list) or not examples:
        raise RefusedError("no-examples", '"examples" must be a list with the question; there is none.')
    if len(examples) > 1:
        raise RefusedError(
            "several-examples", f"{len(examples)} examples in one file. Put each question into its own file."
        )
    if not isinstance(examples[0], dict):
        raise RefusedError("no-examples", "The example is not a JSON object.")
    return examples[0]


def _text_field(fields: dict[str, Any], name: str, written: dict[str, Any]) -> str:
    value = fields.get(name)
    if isinstance(value, str):
        return value
    if value is not None:
        raise RefusedError("wrong-type", f'"{name}" must be text; it is {value!r:.60}.')
    _note_missing(fields, name, written)
    return ""


def _note_missing(fields: dict[str, Any], name: str, written: dict[str, Any]) -> None:
    written.setdefault("null" if name in fields else "missing", []).append(name)


def _keywords(fields: dict[str, Any], written: dict[str, Any]) -> tuple[str, ...]:
    value = fields.get("keywords")
    if value is None:
        _note_missing(fields, "keywords", written)
        return ()
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise RefusedError("wrong-type", '"keywords" must be a list of texts.')
    return tuple(value)


def _stem(example: dict[str, Any]) -> str:
    stem = example.get("input")
    if not isinstance(stem, str) or not stem.strip():
        raise RefusedError("no-stem", 'The example has no "input", the text of the question.')
    return stem


def _answer(example: dict[str, Any], written: dict[str, Any]) -> dict[str, Any]:
    if "target_scores" in example and "target" in example:
        raise RefusedError("two-keys", 'Both "target" and "target_scores" are given; keep the one that is meant.')
    if "target_scores" in example:
        return {"kind": Kind.CHOICE, "options": _options(example["target_scores"], written)}
    if "target" not in example:
        raise RefusedError("no-target", 'Neither "target_scores" nor "target" is given: there is no answer key.')
    return {"kind": Kind.NUMBER, "target": _number(example["target"], "target", written)}


def _number(value: Any, name: str, written: dict[str, Any]) -> str:
    """Return a number as its text, digits kept; `written` notes one that was no text in the file."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    text = repr(value) if is_number else value
    if not isinstance(text, str) or not _NUMBER.fullmatch(text.strip()):
        raise RefusedError("target-not-a-number", f'"{name}" is not a number: {value!r:.60}.')
    stripped = text.strip()
    if is_number:
        written.setdefault("numbers", []).append(name)
    elif stripped != text:
        written.setdefault("texts", {})[name] = text
    return stripped


def _options(scores: Any, written: dict[str, Any]) -> tuple[ImportedOption, ...]:
    if not isinstance(scores, dict) or not scores:
        raise RefusedError("no-options", '"target_scores" must name the options with their credit.')
    if len(scores) < 2:
        raise RefusedError("one-option", "Only one option is given; a choice needs at least two.")
    options = tuple(
        ImportedOption(text=text.strip(), key=option_key(text), credit=_credit(text, credit))
        for text, credit in scores.items()
    )
    _refuse_repeats(options)
    if not any(option.credit for option in options):
        raise RefusedError("no-right-option", "No option has any credit: the question has no right answer.")
    _note_spelling(scores, written)
    return options


def _credit(text: str, value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise RefusedError("credit-invalid", f'The credit of "{text:.60}" must be from 0 to 1; it is {value!r:.40}.')
    credit = Decimal(repr(value))
    if credit != credit.quantize(_EXACT_PLACES):
        raise RefusedError("credit-invalid", f'The credit of "{text:.60}" has more than four decimals.')
    return credit


def _refuse_repeats(options: Iterable[ImportedOption]) -> None:
    seen: dict[str, str] = {}
    for option in options:
        if not option.text:
            raise RefusedError("option-empty", "An option is empty. Give it a text or remove it.")
        if option.key in seen:
            raise RefusedError(
                "option-duplicate",
                f'"{option.text:.80}" is given twice (white space apart). Keep one of the two options.',
            )
        seen[option.key] = option.text


def _note_spelling(scores: dict[str, Any], written: dict[str, Any]) -> None:
    spelt = {str(index): text for index, text in enumerate(scores) if text != text.strip()}
    if spelt:
        written["options"] = spelt
    floats = [index for index, credit in enumerate(scores.values()) if isinstance(credit, float)]
    if floats:
        written["float_credits"] = floats


class _Limits(NamedTuple):
    """A question's own tolerance (relative) and unit; empty where it has none."""

    tolerance: str
    unit: str


def _limits(fields: dict[str, Any], example: dict[str, Any], written: dict[str, Any]) -> _Limits:
    """Read tolerance and unit from the example or, where it has none, from the question."""
    tolerance = unit = ""
    for place, values in (("example", example), ("question", fields)):
        for name in TOLERANCE_FIELDS:
            if values.get(name) is not None and not tolerance:
                tolerance = _share(values[name], name, written)
                written["tolerance"] = [place, name]
        if isinstance(values.get("unit"), str) and values["unit"] and not unit:
            unit = values["unit"]
            written["unit"] = place
    return _Limits(tolerance, unit)


def _share(value: Any, name: str, written: dict[str, Any]) -> str:
    """Return a relative tolerance. From 1 on it would take 0, and soon any number, for right."""
    text = _number(value, name, written)
    if not 0 <= Decimal(text) < 1:
        raise RefusedError("tolerance-invalid", f'"{name}" must be 0 or more and below 1; it is {text}.')
    return text


def _metadata(fields: dict[str, Any], example: dict[str, Any], written: dict[str, Any]) -> dict[str, Any]:
    """Keep every other field under its own name, those of the example under `example`, spelling apart."""
    metadata = {name: value for name, value in fields.items() if name not in OWN_FIELDS}
    others = {name: value for name, value in example.items() if name not in EXAMPLE_FIELDS}
    tolerance_place, tolerance_name = written.get("tolerance", ("", ""))
    for place, values in (("question", metadata), ("example", others)):
        if place == tolerance_place:
            del values[tolerance_name]
        if place == written.get("unit"):
            del values["unit"]
    if others:
        written["example"] = others
    return {**metadata, AS_WRITTEN: written} if written else metadata


def _refuse_too_long(question: ImportedQuestion) -> None:
    values = {
        "key": question.key,
        "name": question.name,
        "uuid": question.uuid,
        "path": question.source_path,
        "unit": question.unit,
        "tolerance": question.tolerance,
    }
    for name, value in values.items():
        if len(value) > _LONGEST[name]:
            raise RefusedError("too-long", f"The {name} is longer than {_LONGEST[name]} characters.")
