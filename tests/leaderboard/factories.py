"""Saved results for tests of the boards: a system's run or a person with given outcomes, judged by the real rule."""

from collections.abc import Sequence
from itertools import count
from typing import Any

from django.utils import timezone

from corpus.models import QuestionSet, QuestionSetRevision
from corpus.services.results import results_changed
from evaluations.models import Item, ItemReading, ItemScore, Run, System
from evaluations.services.system_edits import system_save
from survey.models import Assignment, ConsentText, Participant, Response, Study, StudyBlock

_numbers = count(1)
SHORT = {"+": "right", "-": "wrong", "u": "unparsed", "r": "refused", "e": "error", "d": "do_not_know"}


def make_system(*, slug: str = "", name: str = "", **fields: Any) -> System:
    """Save a system."""
    slug = slug or f"system-{next(_numbers)}"
    return System.objects.create(slug=slug, name=name or slug, provider=fields.pop("provider", "random"), **fields)


def make_run(
    system: System,
    question_set: QuestionSet,
    outcomes: str | Sequence[str],
    *,
    origin: str = "asked",
    published: str | Sequence[str] = (),
    status: str = "finished",
) -> Run:
    """Save a run with one answer per question, each given as a letter: + right, - wrong, u unparsed, r refused,
    e error (a failed item), space not answered yet. A sequence of such strings gives repeats. `published` are the
    verdicts under as-published@1 in the same form. The benchmark's results version is raised, for this system.
    """
    repeats = [outcomes] if isinstance(outcomes, str) else list(outcomes)
    printed = [published] if isinstance(published, str) else list(published)
    run = Run.objects.create(
        system=system,
        set_revision=_revision(question_set),
        origin=origin,
        repeats=len(repeats),
        status=status,
    )
    revision_ids = _revision_ids(question_set)
    items = Item.objects.bulk_create(
        _item(run, revision_id, repeat, position, letter)
        for repeat, letters in enumerate(repeats)
        for position, (revision_id, letter) in enumerate(zip(revision_ids, letters, strict=True))
    )
    if printed:
        _score_as_published(items, "".join(printed))
    results_changed(benchmark_id=question_set.benchmark_id, system_id=system.pk)
    return run


def _item(run: Run, revision_id: int, repeat: int, position: int, letter: str) -> Item:
    answered = {"status": "answered", "outcome": SHORT.get(letter, ""), "rule": "standard@1", "credit": letter == "+"}
    fields = {" ": {"status": "waiting"}, "e": {"status": "failed"}}.get(letter, answered)
    return Item(run=run, question_revision_id=revision_id, repeat=repeat, position=position, **fields)


def _score_as_published(items: Sequence[Item], letters: str) -> None:
    readings = ItemReading.objects.bulk_create(
        ItemReading(answer=item, reader="as-published@1", status="read") for item in items
    )
    ItemScore.objects.bulk_create(
        ItemScore(answer=item, reading=reading, rule="as-published@1", outcome=SHORT[letter], credit=letter == "+")
        for item, reading, letter in zip(items, readings, letters, strict=True)
    )


def make_people(
    question_set: QuestionSet,
    answers: Sequence[str],
    *,
    is_demo: bool = False,
    questions_per_person: int | None = None,
    **study: Any,
) -> list[Participant]:
    """Save a study with one person per string, who gave these outcomes in the order of the set (space: no answer,
    full stop: not asked). Other fields are the study's.
    """
    return make_people_of_parts(
        [question_set],
        [(letters,) for letters in answers],
        is_demo=is_demo,
        questions_per_person=questions_per_person,
        **study,
    )


def make_people_of_parts(
    sets: Sequence[QuestionSet],
    answers: Sequence[Sequence[str]],
    *,
    questions_per_person: int | None = None,
    is_demo: bool = False,
    **study_fields: Any,
) -> list[Participant]:
    """Save a study with one block for each set, and one person per sequence of strings, one string for each block.

    The study is closed unless told otherwise: while it is open, people come into public results in whole groups.
    """
    fields = {"title": "A study", "status": "closed", "joins_while_open": True, **study_fields}
    study = Study.objects.create(slug=f"study-{next(_numbers)}", is_demo=is_demo, **fields)
    consent = ConsentText.objects.create(study=study, version=1, text="I agree.")
    blocks = [
        StudyBlock.objects.create(
            study=study,
            position=position,
            slug=f"part-{position}",
            title=f"Part {position}",
            rules="None.",
            set_revision=_revision(question_set),
            questions_per_person=questions_per_person,
        )
        for position, question_set in enumerate(sets, start=1)
    ]
    people = Participant.objects.bulk_create(
        Participant(
            study=study,
            pseudonym=f"person-{number}",
            consent_text=consent,
            consented_at=timezone.now(),
            is_demo=is_demo,
        )
        for number in range(len(answers))
    )
    _answers_create(people, blocks, answers)
    for question_set in sets:
        results_changed(benchmark_id=question_set.benchmark_id, of_people=True)
    return people


def _answers_create(
    people: Sequence[Participant], blocks: Sequence[StudyBlock], answers: Sequence[Sequence[str]]
) -> None:
    asked = [_revision_ids(block.set_revision.question_set) for block in blocks]
    given = []
    for person, rows in zip(people, answers, strict=True):
        position = 0
        for block, revision_ids, row in zip(blocks, asked, rows, strict=True):
            for revision_id, letter in zip(revision_ids, row, strict=True):
                if letter != ".":
                    position += 1
                    given.append((_assignment(person, block, revision_id, position, is_served=letter != " "), letter))
    Assignment.objects.bulk_create(assignment for assignment, _ in given)
    Response.objects.bulk_create(
        Response(
            assignment=assignment,
            outcome=SHORT[letter],
            rule="standard@1",
            credit=letter == "+",
            answered_at=timezone.now(),
        )
        for assignment, letter in given
        if letter != " "
    )


def _assignment(
    person: Participant, block: StudyBlock, revision_id: int, position: int, *, is_served: bool
) -> Assignment:
    return Assignment(
        participant=person,
        block=block,
        question_revision_id=revision_id,
        position=position,
        served_at=timezone.now() if is_served else None,
    )


def _revision(question_set: QuestionSet) -> QuestionSetRevision:
    assert question_set.current_revision is not None
    return question_set.current_revision


def _revision_ids(question_set: QuestionSet) -> list[int]:
    members = _revision(question_set).members.order_by("position")
    return list(members.values_list("question_revision_id", flat=True))


def edit_system(slug, **fields):
    """Change a system as a maintainer does."""
    system = System.objects.get(slug=slug)
    for name, value in fields.items():
        setattr(system, name, value)
    return system_save(system=system, changed=tuple(fields))
