"""Take completions that were made elsewhere: check them against the set, and keep them for a maintainer's review."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from corpus.models import QuestionSetRevision
from corpus.services.results import action_log
from evaluations.credentials import credential_inside
from evaluations.errors import EvaluationError
from evaluations.importers.completion_lines import (
    MOST_PROBLEMS,
    CompletionFile,
    CompletionLine,
    Problem,
    comparable,
    read_completions,
)
from evaluations.json_fields import StorableJSONField
from evaluations.models import ContributorToken, Submission, SubmittedCompletion, System
from evaluations.services.contributors import refuse_without_room
from evaluations.services.freezing import frozen_facts
from evaluations.services.prompt_export import SYSTEM_PROMPT, Member, PromptSet, prompt_set, shown_options

# Among a submission's facts: which prompts it answers, to the letter.
PROMPTS_HASH = "prompts_hash"
_ROWS_AT_ONCE = 500
_LARGEST_FACTS = 20_000
_PROBLEMS_IN_A_SENTENCE = 5
_DIGEST = re.compile(r"[0-9a-f]{64}")


class CompletionsRefusedError(EvaluationError):
    """Nothing of a file was stored; `problems` says what is wrong in which line."""

    code = "completions-refused"

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        first = " ".join(
            f"Line {each.line}: {each.message}" if each.line else each.message
            for each in problems[:_PROBLEMS_IN_A_SENTENCE]
        )
        more = len(problems) - _PROBLEMS_IN_A_SENTENCE
        super().__init__(f"Nothing was stored. {first}" + (f" And {more} more." if more > 0 else ""))


@dataclass(frozen=True, slots=True)
class Received:
    """What became of a file. `is_new` is False when the same completions were there already.

    `missing` names questions without a completion in some repeat; `notes` are sentences for who sent it.
    """

    submission: Submission
    is_new: bool
    n_completions: int
    n_questions: int
    repeats: int
    missing: tuple[str, ...]
    notes: tuple[str, ...] = ()


def submission_create(
    *,
    content: bytes,
    system: System,
    set_revision: QuestionSetRevision,
    style_name: str,
    token: ContributorToken | None = None,
    needs_revision: bool = False,
) -> Received:
    """Store the completions of a file as a submission that waits for a review; the same ones are taken once.

    What the file states of set, revision, style and prompts must be what `set_revision`, `style_name` and `system` give
    now; that is frozen, so that nothing that changes before the review changes what was answered.
    With `needs_revision` it must state the revision. Raises CompletionsRefusedError, with nothing stored,
    CannotBeAskedError for a style that does not exist, and TooManyWaitingError for new completions of a contributor
    of whom as many wait already as may.
    """
    found = read_completions(content)
    prompts = prompt_set(set_revision=set_revision, style_name=style_name)
    problems = [*_header_problems(found, prompts, system, needs_revision), *found.problems]
    members = {member.key: member for member in prompts.members}
    told = (problem for line in found.lines for problem in _line_problems(line, members, prompts))
    problems += islice(told, max(0, MOST_PROBLEMS - len(problems)))
    if problems:
        raise CompletionsRefusedError(tuple(sorted(problems, key=lambda problem: problem.line)))
    submission, is_new = _stored(found, prompts, members, system, token)
    repeats = 1 + max(line.repeat for line in found.lines)
    given = {(line.key, line.repeat) for line in found.lines}
    return Received(
        submission=submission,
        is_new=is_new,
        n_completions=len(found.lines),
        n_questions=len(prompts.members) + len(prompts.left_out),
        repeats=repeats,
        missing=tuple(
            key
            for key in [*members, *(each.key for each in prompts.left_out)]
            if any((key, repeat) not in given for repeat in range(repeats))
        ),
        notes=_notes(found),
    )


def _header_problems(
    found: CompletionFile, prompts: PromptSet, system: System, needs_revision: bool
) -> Iterator[Problem]:
    header, set_revision = found.header, prompts.set_revision
    line = 1 if header else 0
    slug = set_revision.question_set.slug
    if header.get("set", slug) != slug:
        yield Problem(line, "wrong-set", f"These are completions of the set {header['set']!r:.80}, not of {slug!r}.")
    elif _is_other(header, "set_hash", set_revision.content_hash) or _is_other(
        header, "set_revision", set_revision.number
    ):
        yield Problem(line, "wrong-revision", _other_revision(header, prompts))
    elif needs_revision and not header.get("set_hash"):
        yield Problem(
            line,
            "no-revision",
            "Say which questions these answer: let the first line of the prompts, which states set_hash, be the first "
            "line here as well.",
        )
    elif _is_other(header, "prompt_style", prompts.style.name):
        yield Problem(
            line,
            "wrong-style",
            f"These were asked in the style {header['prompt_style']!r:.80}, not in {prompts.style.name!r}.",
        )
    elif _is_other(header, "prompts_hash", prompts.prompts_hash):
        yield Problem(line, "wrong-prompts", "The prompts are no longer the ones that were asked. Export them again.")
    elif _is_other(header, SYSTEM_PROMPT, system.system_prompt):
        yield Problem(
            line,
            "wrong-system-prompt",
            f"The system prompt of {system.name} is no longer the exported one. Export again.",
        )
    yield from _facts_problems(line, header)


def _is_other(stated: Mapping[str, Any], name: str, ours: object) -> bool:
    return stated.get(name) is not None and stated[name] != ours


def _other_revision(header: Mapping[str, Any], prompts: PromptSet) -> str:
    set_revision = prompts.set_revision
    stated = header.get("set_hash")
    digest = stated if isinstance(stated, str) and _DIGEST.fullmatch(stated) else ""
    other = set_revision.question_set.revisions.filter(content_hash=digest).first() if digest else None
    which = f"revision {other.number}" if other else "another revision"
    return (
        f"These answer {which} of the set {set_revision.question_set.slug}; here it is revision {set_revision.number}. "
        "Export the prompts again, or have a maintainer import the file for the revision it is of (--revision)."
    )


def _facts_problems(line: int, header: Mapping[str, Any]) -> Iterator[Problem]:
    facts = header.get("facts")
    if facts is None:
        return
    if not isinstance(facts, dict) or len(json.dumps(facts)) > _LARGEST_FACTS:
        yield Problem(line, "bad-facts", f"`facts` must be one JSON object of at most {_LARGEST_FACTS:,} characters.")
        return
    if credential_inside(facts):
        yield Problem(
            line,
            "key-in-facts",
            "`facts` holds something that looks like a key, or a name under which keys are sent. Facts are stored and "
            "shown; leave it out.",
        )
        return
    try:
        StorableJSONField(required=False).clean(json.dumps(facts))
    except ValidationError as error:
        yield Problem(line, "bad-facts", f"`facts`: {' '.join(error.messages)}")


def _line_problems(line: CompletionLine, members: Mapping[str, Member], prompts: PromptSet) -> Iterator[Problem]:
    member = members.get(line.key)
    if member is None:
        slug = prompts.set_revision.question_set.slug
        yield Problem(line.line, "unknown-key", f"The set {slug} has no question {line.key[:120]!r} in this revision.")
        return
    ours = {
        "revision": member.revision.number,
        "prompt": member.prepared.prompt,
        "options": shown_options(member.prepared),
    }
    for name, stated in line.echoed.items():
        if stated != comparable(ours[name]):
            yield Problem(
                line.line,
                f"wrong-{name}",
                f"The {name} of {line.key[:120]} is not the one that is exported now; export the prompts again.",
            )


def _stored(
    found: CompletionFile,
    prompts: PromptSet,
    members: Mapping[str, Member],
    system: System,
    token: ContributorToken | None,
) -> tuple[Submission, bool]:
    """Return the submission and whether it is new; of two that come at once, one is."""
    facts = found.header.get("facts") or {}
    digest = _content_hash(found, prompts.style.name, facts)
    same = Submission.objects.filter(system=system, set_revision=prompts.set_revision, content_hash=digest).exclude(
        status=Submission.Status.REJECTED
    )
    if known := same.first():
        return known, False
    if token is not None:
        refuse_without_room(token=token)
    try:
        with transaction.atomic():
            submission = Submission.objects.create(
                token=token,
                system=system,
                set_revision=prompts.set_revision,
                prompt_style=prompts.style.name,
                facts={**facts, PROMPTS_HASH: prompts.prompts_hash},
                frozen=frozen_facts(system=system, set_revision=prompts.set_revision, style_name=prompts.style.name),
                content_hash=digest,
            )
            SubmittedCompletion.objects.bulk_create(
                [_row(submission, line, members[line.key]) for line in found.lines], batch_size=_ROWS_AT_ONCE
            )
            action_log(code="submission.received", target=submission, detail={"completions": len(found.lines)})
    except IntegrityError:
        return same.get(), False
    return submission, True


def _row(submission: Submission, line: CompletionLine, member: Member) -> SubmittedCompletion:
    return SubmittedCompletion(
        submission=submission,
        question_revision=member.revision,
        repeat=line.repeat,
        completion=line.completion,
        facts=dict(line.facts),
    )


def _content_hash(found: CompletionFile, style: str, facts: Mapping[str, Any]) -> str:
    """Hash what was said, whatever the order of the lines."""
    said = sorted([line.key, line.repeat, line.completion, dict(line.facts)] for line in found.lines)
    return hashlib.sha256(json.dumps([style, facts, said], sort_keys=True).encode()).hexdigest()


def _notes(found: CompletionFile) -> tuple[str, ...]:
    notes = []
    if found.unknown_fields:
        notes.append(f"Fields that are not known were left out: {', '.join(found.unknown_fields[:20])}.")
    if not found.header.get("set_hash") and not any("revision" in line.echoed for line in found.lines):
        notes.append("Nothing in the file says which revision was asked; the one named here was taken.")
    return tuple(notes)
