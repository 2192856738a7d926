"""What the tests of systems without an API share: a bank, its prompts, and files of completions."""

import json
from collections.abc import Mapping
from typing import Any

from corpus.models import QuestionSetRevision
from evaluations.models import Submission, System
from evaluations.services.completion_import import submission_create
from evaluations.services.prompt_export import export_lines
from tests.corpus.factories import make_benchmark, make_question, make_set

STYLE = "instruction@1"
RIGHT = {"q-choice": "[ANSWER]A[/ANSWER]", "q-number": "[ANSWER]42[/ANSWER]", "q-other": "[ANSWER]A[/ANSWER]"}


def make_outside_set(slug: str = "outside", **fields: Any) -> QuestionSetRevision:
    """Two choice questions, whose option A is right, and a number question whose answer is 42."""
    benchmark = make_benchmark(slug=slug, canary="CANARY GUID 1b0c3e7a")
    questions = [
        make_question(benchmark, key="q-choice", stem="Which one is aromatic?"),
        make_question(benchmark, key="q-number", kind="number", stem="How many?"),
        make_question(benchmark, key="q-other", stem="And which of these?"),
    ]
    revision = make_set(benchmark, slug=slug, revisions=questions, **fields).current_revision
    assert revision is not None
    return revision


def make_outside_system(slug: str = "agent") -> System:
    return System.objects.create(slug=slug, name="Agent", provider="submitted", kind="agent")


def header_of(set_revision: QuestionSetRevision, /, **more: Any) -> dict[str, Any]:
    first = next(export_lines(set_revision=set_revision, style_name=STYLE))
    return json.loads(first) | more


def file_of(*lines: Mapping[str, Any]) -> bytes:
    return b"\n".join(json.dumps(line).encode() for line in lines)


def lines_of(replies: Mapping[str, str], **more: Any) -> list[dict[str, Any]]:
    return [{"key": key, "completion": text, **more} for key, text in replies.items()]


def make_submission(
    set_revision: QuestionSetRevision, system: System, replies: Mapping[str, str] = RIGHT, **more: Any
) -> Submission:
    content = file_of(header_of(set_revision), *lines_of(replies, **more))
    received = submission_create(content=content, system=system, set_revision=set_revision, style_name=STYLE)
    assert received.is_new
    return received.submission
