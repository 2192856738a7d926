"""The prompts of a set as JSON lines, for systems that are asked elsewhere. Never an answer key."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from corpus.models import QuestionRevision, QuestionSetRevision
from corpus.selectors.sets import set_members
from evaluations.errors import NothingToAskError
from evaluations.models import System
from evaluations.prompts import PROMPT_ERRORS, Prepared, PromptStyle, prompt_style
from evaluations.repeats import check_repeats
from evaluations.services.freezing import code_commit

FORMAT = "chembench-site-prompts@1"
# The first line has it where the prompts are of a system, "" for none; sent back, it is compared.
SYSTEM_PROMPT = "system_prompt"


@dataclass(frozen=True, slots=True)
class Member:
    """A question of the set with its place there and its prompt."""

    revision: QuestionRevision
    position: int
    prepared: Prepared

    @property
    def key(self) -> str:
        """The question's key."""
        return self.revision.question.key


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A question whose prompt cannot be made, and why."""

    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class PromptSet:
    """Every question of a set revision in one prompt style, options in the bank's order.

    `prompts_hash` is the same as long as every prompt and every letter is.
    """

    set_revision: QuestionSetRevision
    style: PromptStyle
    members: tuple[Member, ...]
    left_out: tuple[LeftOut, ...]
    prompts_hash: str


def prompt_set(*, set_revision: QuestionSetRevision, style_name: str) -> PromptSet:
    """Return the prompts of `set_revision`, in its order.

    Raises CannotBeAskedError for a style that does not exist, NothingToAskError where no prompt can be made.
    """
    style = prompt_style(style_name)
    members: list[Member] = []
    left_out: list[LeftOut] = []
    for position, revision in enumerate(set_members(set_revision.pk)):
        try:
            members.append(Member(revision, position, style.prepare(revision, ())))
        except PROMPT_ERRORS as error:
            left_out.append(LeftOut(revision.question.key, f"{type(error).__name__}: {error}"))
    if not members:
        raise NothingToAskError(f"The set {set_revision.question_set.slug} has no question that can be asked.")
    return PromptSet(set_revision, style, tuple(members), tuple(left_out), _hash_of(members))


def export_lines(
    *, set_revision: QuestionSetRevision, style_name: str, system: System | None = None, repeats: int = 1
) -> Iterator[str]:
    """Yield the export line by line: the facts first, then one JSON object for each question and repeat.

    Nothing but ASCII is in a line, whatever a question holds. `system` gives the system prompt. Raises
    CannotBeAskedError and NothingToAskError before the first line.
    """
    check_repeats(repeats)
    prompts = prompt_set(set_revision=set_revision, style_name=style_name)
    facts = export_facts(prompts=prompts, system=system, repeats=repeats)
    return _lines(prompts, facts, system, repeats)


def export_facts(*, prompts: PromptSet, system: System | None = None, repeats: int = 1) -> dict[str, Any]:
    """Return what the first line says: which questions these are, exactly, and how they are put (to the `system`)."""
    question_set = prompts.set_revision.question_set
    benchmark = question_set.benchmark
    facts = {
        "format": FORMAT,
        "benchmark": benchmark.slug,
        "benchmark_version": benchmark.version,
        "canary": benchmark.canary,
        "set": question_set.slug,
        "set_revision": prompts.set_revision.number,
        "set_hash": prompts.set_revision.content_hash,
        "prompt_style": prompts.style.name,
        "prompts_hash": prompts.prompts_hash,
        "n_questions": len(prompts.members),
        "repeats": repeats,
        "left_out": [{"key": each.key, "reason": each.reason} for each in prompts.left_out],
        "code_commit": code_commit(),
    }
    said_first = {SYSTEM_PROMPT: system.system_prompt} if system else {}
    said_after = {"follow_up": prompts.style.follow_up} if prompts.style.follow_up else {}
    return facts | said_first | said_after


def shown_options(prepared: Prepared) -> list[dict[str, str]]:
    """Return the options of a prompt as an export names them."""
    return [{"letter": letter, "key": key, "text": text} for letter, key, text in prepared.options_shown]


def _lines(prompts: PromptSet, facts: dict[str, Any], system: System | None, repeats: int) -> Iterator[str]:
    yield json.dumps(facts)
    for member in prompts.members:
        for repeat in range(repeats):
            yield json.dumps(_line(member, facts["canary"], system, repeat))


def _line(member: Member, canary: str, system: System | None, repeat: int) -> dict[str, Any]:
    line: dict[str, Any] = {
        "key": member.key,
        "revision": member.revision.number,
        "repeat": repeat,
        "kind": member.revision.kind,
        "prompt": member.prepared.prompt,
        "options": shown_options(member.prepared),
        "canary": canary,
    }
    return line | {SYSTEM_PROMPT: system.system_prompt} if system and system.system_prompt else line


def _hash_of(members: Sequence[Member]) -> str:
    shown = [
        [each.key, each.prepared.prompt, [list(option) for option in each.prepared.options_shown]] for each in members
    ]
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()
