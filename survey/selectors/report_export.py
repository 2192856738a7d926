"""A study's answers in the form of the public ChemBench reports: one JSON file an answer, for staff.

Letters are those of the order in which the options were shown to that person, and the prompt lists them in that order:
whoever maps a letter through `prompt` (or `options_shown`) gets the option that was chosen.
"""

import json
import re
from collections.abc import Iterator
from datetime import UTC
from itertools import chain, count
from math import isfinite
from typing import Any

from corpus.markup.text import TextStyle, render_text
from corpus.models import Benchmark
from corpus.scoring.letters import option_letter
from corpus.scoring.types import Kind
from survey.models import Assignment, Response, Study
from survey.selectors.export import net_seconds, reading_in_force

STYLE: TextStyle = "tags-latex"
CHUNK = 500
UNSAFE_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")
LONGEST_NAME = 150
FORMAT = "chembench-site-report@1"

README = """\
{title}: answers of people, one file for each answer.

{study}/reports/<part>/<pseudonym>/<question>.json is a list with one object, in the form of the public ChemBench
reports. `prompt` is the question with its options in the order in which this person saw them; `parsed_output` and
`output` hold the letters of that order. Map letters through `prompt` or `options_shown` of the same file, never
through `targets_` or today's question file: their order is another one.

`parsed_output` is a list of letters, a number, or {{}} where nothing was read or the person said that they do not know
(`person.do_not_know`). Times are UTC, durations seconds; `time_s` runs from shown to answered, `away_seconds` of it the
person was away. Attention checks are marked (`person.is_attention_check`) and count in no result.

{keys}

Do not publish these files where language models are trained on them, and leave the canary in.
{canaries}
"""
WITH_KEYS = (
    "THESE FILES HOLD THE ANSWER KEYS (`targets_`, `verdict`, `metrics`). Whoever has them can answer the questions:"
    "\nkeep them away from participants and from the public."
)
WITHOUT_KEYS = "Answer keys and verdicts were left out: there is no `targets_`, and `metrics` is empty."


def report_files(study: Study, *, with_keys: bool) -> Iterator[tuple[str, str]]:
    """Give (path in the archive, text) of a README and of every answer; keys and verdicts `with_keys` only."""
    yield f"{study.slug}/README.txt", _readme(study, with_keys=with_keys)
    used: set[str] = set()
    for assignment in _answered(study).iterator(chunk_size=CHUNK):
        person, key = assignment.participant, assignment.question_revision.question.key
        folder = f"{study.slug}/reports/{assignment.block.slug}/{_file_name(person.pseudonym)}"
        path = _unused(f"{folder}/{_file_name(key)}", used)
        report = report_of(assignment, with_keys=with_keys)
        yield f"{path}.json", json.dumps([report], indent=2, ensure_ascii=False) + "\n"


def report_of(assignment: Assignment, *, with_keys: bool) -> dict[str, Any]:
    """Return one answer as a report; the assignment must have its response."""
    revision, response = assignment.question_revision, assignment.response
    options = _options_shown(assignment)
    report: dict[str, Any] = {
        "canary": revision.question.benchmark.canary,
        "format": FORMAT,
        "name": revision.question.key,
        "description": revision.description,
        "keywords": list(revision.keywords),
        "prompt": prompt_as_shown(assignment),
        "options_shown": options,
        "output": {"text": _text(response, options), "message_content": _text(response, options)},
        "parsed_output": _parsed(response, options),
        "model_params": None,
        "llm_extraction_count": 0,
        "triggered_refusal": False,
        "metrics": {},
        "time_s": response.seconds,
        "person": _person(assignment, response),
    }
    return report | _keys(assignment, response) if with_keys else report


def prompt_as_shown(assignment: Assignment) -> str:
    """Return the question as text, its options under the letters that this person saw."""
    revision = assignment.question_revision
    parts = ["The following is a question about chemistry.", f"Question: {render_text(revision.stem, STYLE).strip()}"]
    options = _options_shown(assignment)
    if options:
        parts.append("\n".join(["Options:", *(f"{letter}. {text}" for letter, _, text in options)]))
    elif revision.unit:
        parts.append(f"Unit: {render_text(revision.unit, STYLE)}")
    return "\n\n".join([*parts, "Answer:"])


def _answered(study: Study) -> Any:
    return (
        Assignment.objects.filter(participant__study=study, response__isnull=False)
        .select_related("participant", "block", "question_revision__question__benchmark", "response__key_revision")
        .prefetch_related(
            "question_revision__options",
            "response__readings",
            "response__scores",
            "response__key_revision__options",
        )
        .order_by("participant_id", "position")
    )


def _options_shown(assignment: Assignment) -> list[list[str]]:
    """Return [letter, option key, text] in the order shown; a text is one line, so that the list can be read again."""
    texts = {option.option_key: option.text for option in assignment.question_revision.options.all()}
    return [
        [option_letter(place), key, " ".join(render_text(texts[key], STYLE).split())]
        for place, key in enumerate(assignment.option_order)
    ]


def _text(response: Response, options: list[list[str]]) -> str:
    if response.do_not_know:
        return "I do not know"
    return ", ".join(_letters(response, options)) if options else response.typed_text


def _letters(response: Response, options: list[list[str]]) -> list[str]:
    return [letter for letter, key, _ in options if key in response.chosen_option_keys]


def _parsed(response: Response, options: list[list[str]]) -> list[str] | float | dict[str, Any]:
    """Return letters, a number, or {} as the published reports write that nothing was read."""
    if response.do_not_know:
        return {}
    if options:
        return _letters(response, options) or {}
    reading = reading_in_force(response)
    number = float(reading.number) if reading and reading.number else None
    return number if number is not None and isfinite(number) else {}


def _person(assignment: Assignment, response: Response) -> dict[str, Any]:
    served = assignment.served_at
    return {
        "pseudonym": assignment.participant.pseudonym,
        "is_demo": assignment.participant.is_demo,
        "block": assignment.block.slug,
        "tools_allowed": assignment.block.tools_allowed,
        "position": assignment.position,
        "question_revision": assignment.question_revision.number,
        "is_attention_check": assignment.is_attention_check,
        "do_not_know": response.do_not_know,
        "tools_used": response.tools_used,
        "confidence": response.confidence,
        "served_at": served.astimezone(UTC).isoformat() if served else None,
        "answered_at": response.answered_at.astimezone(UTC).isoformat(),
        "away_seconds": response.away_seconds,
        "net_seconds": net_seconds(response),
    }


def _keys(assignment: Assignment, response: Response) -> dict[str, Any]:
    """Return the key that the current verdict was made with, and the verdict."""
    asked = assignment.question_revision
    revision = response.key_revision or asked
    targets: dict[str, float] | str = revision.target
    if revision.kind == Kind.CHOICE:
        options = revision.options.all()
        targets = {" ".join(render_text(option.text, STYLE).split()): float(option.credit) for option in options}
    scores = sorted((score for score in response.scores.all() if score.rule == response.rule), key=lambda row: row.pk)
    return {
        "targets_": targets,
        "metrics": scores[-1].metrics if scores else {},
        "verdict": {"outcome": response.outcome, "rule": response.rule},
    }


def _readme(study: Study, *, with_keys: bool) -> str:
    benchmarks = Benchmark.objects.filter(questions__revisions__assignments__participant__study=study).distinct()
    canaries = sorted({benchmark.canary for benchmark in benchmarks if benchmark.canary})
    return README.format(
        title=study.title,
        study=study.slug,
        keys=WITH_KEYS if with_keys else WITHOUT_KEYS,
        canaries="\n".join(canaries),
    )


def _unused(path: str, used: set[str]) -> str:
    """Return a path that is none of those used, whatever case a system writes it in, and note it as used."""
    numbered = (f"{path}-{number}" for number in count(2))
    free = next(name for name in chain([path], numbered) if name.lower() not in used)
    used.add(free.lower())
    return free


def _file_name(text: str) -> str:
    """Return a name that is one plain file on any system."""
    return UNSAFE_IN_NAMES.sub("_", text).strip(".")[:LONGEST_NAME] or "unnamed"
