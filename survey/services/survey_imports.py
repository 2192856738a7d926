"""Bring a published survey in: its people, what they were given and what they answered, judged like everybody's."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from corpus.models import Benchmark
from corpus.scoring.published import UnmatchedOptionsError
from corpus.services.planner import tell_planner
from corpus.services.results import action_log
from survey.importers.chembench_survey import IMPORTER, read_survey
from survey.importers.types import RefusedRow, SurveyAnswer, SurveyExport, SurveyPerson
from survey.models import Assignment, Participant, Response, ResponseReading, ResponseScore, Study
from survey.services.holding import done_again, people_hold, person_hold
from survey.services.imported_answers import Note, PreparedAnswer, prepare_answer
from survey.services.imported_questions import MatchedQuestion, match_questions
from survey.services.imported_responses import assignments_import, responses_import
from survey.services.imported_study import IMPORTED, SurveyImportError, imported_study, person_import
from survey.services.inclusion import people_join, study_results_changed

BATCH = 500

__all__ = ["SurveyImportError", "SurveyImported", "survey_import"]


@dataclass(slots=True)
class SurveyImported:
    """What became of an export. Counters are by what was done: new, changed, unchanged, kept (no longer in the export).

    `kept_as_reported` counts, by person, the answers that the option-text rule keeps as reported because survey and
    bank word the question differently.
    """

    study: Study
    is_new_study: bool
    people: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    kept_as_reported: Counter[str] = field(default_factory=Counter)
    refused: list[RefusedRow] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    @property
    def has_changes(self) -> bool:
        """Whether anything was stored."""
        return self.is_new_study or any(
            done[word] for done in (self.people, self.answers) for word in ("new", "changed")
        )


@done_again
def survey_import(
    *,
    path: Path,
    benchmark: Benchmark,
    slug: str,
    set_slugs: Mapping[bool, str],
    actor: AbstractBaseUser | None = None,
    now: datetime | None = None,
) -> SurveyImported:
    """Import an export (zip or folder) into the closed study `slug`, in one transaction; `set_slugs` by tools allowed.

    Again updates what has changed and copies nothing: people are known by the survey's pseudonym, answers by person
    and question. For a dry run roll the caller's transaction back. Raise `UnreadableSurveyError` for a path that is no
    export and `SurveyImportError` for what is missing here.
    """
    export = read_survey(path)
    with transaction.atomic():
        study, is_new = imported_study(slug=slug, benchmark=benchmark, set_slugs=set_slugs, actor=actor)
        # Whatever the survey has was answered before it closed, with whichever import it comes.
        moment = min(filter(None, (now or timezone.now(), study.closed_at)))
        report = SurveyImported(study, is_new, refused=list(export.refused))
        questions = _questions(export, study, report)
        by_person = _answers_by_person(export, questions, report)
        _missing_profiles(export, report)
        # Whoever withdraws now waits.
        people_hold(study.participants.all())
        for person in _people(export, by_person):
            participant, done = person_import(study=study, person=person, now=moment)
            report.people[done] += 1
            if not person_hold(participant):
                _refuse_withdrawn(participant, by_person.get(person.source_name, ()), report)
                continue
            _answers_import(participant, by_person.get(person.source_name, ()), questions, export, report, moment)
        if report.has_changes:
            _finish(report, actor)
        else:
            people_join(study_id=study.pk)
    return report


# What the export says, before anything is written


def _questions(export: SurveyExport, study: Study, report: SurveyImported) -> Mapping[str, MatchedQuestion]:
    blocks = list(study.blocks.select_related("set_revision__question_set"))
    matches = match_questions(questions=export.questions.values(), blocks=blocks)
    report.refused += matches.refused
    return matches.found


def _answers_by_person(
    export: SurveyExport, questions: Mapping[str, MatchedQuestion], report: SurveyImported
) -> dict[str, list[SurveyAnswer]]:
    """Return the answers to questions of the bank; the others are refused, each by name."""
    by_person: dict[str, list[SurveyAnswer]] = defaultdict(list)
    for answer in export.answers:
        if answer.question_id in questions:
            by_person[answer.person].append(answer)
            continue
        reason = f"Question {answer.question_id} ({export.questions[answer.question_id].name}) is not in the set."
        place = f"answer {answer.source_id}"
        report.refused.append(
            RefusedRow("answer", place, "question-not-in-set", reason, answer.person, answer.question_id)
        )
    return by_person


def _people(export: SurveyExport, by_person: Mapping[str, Sequence[SurveyAnswer]]) -> list[SurveyPerson]:
    """Return who is imported, by name: whoever has a profile or an answer."""
    names = sorted({*export.people, *by_person})
    return [export.people.get(name) or SurveyPerson(name) for name in names]


def _missing_profiles(export: SurveyExport, report: SurveyImported) -> None:
    names = sorted({answer.person for answer in export.answers}.difference(export.people))
    report.notes += [Note(name, "", "profile-missing", "The export says nothing about this person.") for name in names]


def _refuse_withdrawn(participant: Participant, answers: Iterable[SurveyAnswer], report: SurveyImported) -> None:
    reason = "This person has withdrawn here; nothing is stored again."
    report.refused += [
        RefusedRow(
            "answer", f"answer {answer.source_id}", "person-withdrawn", reason, answer.person, answer.question_id
        )
        for answer in answers
    ]


# One person


def _answers_import(
    participant: Participant,
    answers: Sequence[SurveyAnswer],
    questions: Mapping[str, MatchedQuestion],
    export: SurveyExport,
    report: SurveyImported,
    moment: datetime,
) -> None:
    prepared = _prepare(answers, questions, export, report)
    listed = {number: export.questions[number].options for number in questions}
    given = assignments_import(participant=participant, answers=prepared, questions=questions, listed=listed)
    stored = responses_import(participant=participant, answers=prepared, given=given, now=moment)
    report.answers.update(stored.counts())
    reason = "The export has another answer now, but a maintainer has corrected the reading of this one."
    report.refused += [
        RefusedRow("answer", entry.question.key, "correction-kept", reason, participant.source_name)
        for entry in stored.corrected
    ]


def _prepare(
    answers: Sequence[SurveyAnswer],
    questions: Mapping[str, MatchedQuestion],
    export: SurveyExport,
    report: SurveyImported,
) -> list[PreparedAnswer]:
    prepared = []
    for answer in answers:
        question = questions[answer.question_id]
        try:
            entry = prepare_answer(
                answer=answer, question=question, report=export.reports.get((answer.person, question.key))
            )
        except UnmatchedOptionsError as error:
            place = f"answer {answer.source_id}"
            report.refused.append(
                RefusedRow("answer", place, "options-unmatched", str(error)[:300], answer.person, answer.question_id)
            )
            continue
        prepared.append(entry)
        report.notes += entry.notes
        report.kept_as_reported[answer.person] += entry.is_kept_as_reported
    return prepared


def _finish(report: SurveyImported, actor: AbstractBaseUser | None) -> None:
    detail = {
        "importer": IMPORTER,
        "people": dict(report.people),
        "answers": dict(report.answers),
        "n_refused": len(report.refused),
    }
    action_log(code=IMPORTED, target=report.study, actor=actor, detail=detail)
    # Whoever counts has joined from now on, should the study ever be opened.
    study_results_changed(study_id=report.study.pk)
    tell_planner(Assignment, Response, ResponseReading, ResponseScore)
