"""Everything stored about one person, for that person: never an answer key, no verdict while the study is open."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django.db.models import Q

from corpus.markup.text import render_text
from corpus.models import QuestionSet, QuestionSetMember
from corpus.scoring.letters import option_letter
from survey.consent_notes import SITE_NOTE
from survey.models import Assignment, Draft, Participant, ParticipantFlag, Response, Study
from survey.selectors.export import net_seconds, reading_in_force
from survey.selectors.reminders import reminder_address_of

NOT_INCLUDED = (
    "The secret of your personal link: whoever has it continues as you, so it is on your pages only.",
    "Which options and numbers are right: the questions are used for tests.",
    "Whether your answers to questions that show whether somebody reads were right: other studies ask them as well.",
)
NO_CHECKS = "Whether you missed questions that show whether somebody reads: that is told once the study is closed."
NO_VERDICTS = "Which of your answers were right: that would tell the answers of a set that is still in use."


def own_data(participant: Participant) -> dict[str, Any]:
    """Return what is stored about a person as JSON values; times are UTC, durations seconds.

    Verdicts are there where `verdicts_are_public`, never of attention checks. Questions that were
    not shown to them yet are only counted.
    """
    study = participant.study
    shown = _shown(participant)
    with_verdicts = verdicts_are_public(study)
    return {
        "study": {"slug": study.slug, "title": study.title, "status": study.status},
        "pseudonym": participant.pseudonym,
        "consent": _consent(participant),
        "profile": {
            "education": participant.education,
            "years_experience": participant.years_experience,
            "specialties": participant.specialties,
        },
        "times": _times(participant),
        "parts_begun": [
            {"part": visit.block.title, "at": _utc(visit.rules_accepted_at)}
            for visit in participant.block_visits.select_related("block").order_by("rules_accepted_at")
        ],
        "reminders": _reminders(participant),
        "reminders_sent": participant.reminders_sent,
        "questions": [_question(assignment, with_verdicts=with_verdicts) for assignment in shown],
        "questions_not_shown_yet": participant.assignments.filter(served_at__isnull=True).count(),
        "comments": _comments(participant),
        "findings_about_your_answers": _flags(participant),
        "imported_as": participant.source_name,
        "canaries": _canaries(shown),
        "not_included": _not_included(study, with_verdicts=with_verdicts),
    }


def _not_included(study: Study, *, with_verdicts: bool) -> list[str]:
    """Return what is left out; the same for everybody in a study, whatever was found in their answers."""
    is_closed = study.status == Study.Status.CLOSED
    return [*NOT_INCLUDED, *([] if with_verdicts else [NO_VERDICTS]), *([] if is_closed else [NO_CHECKS])]


def verdicts_are_public(study: Study) -> bool:
    """Say whether a person may see which of their answers were right; of attention checks they never may.

    They may once the study is closed, where every set that any of its questions is in is open, and no other study that
    is open asks them. Its questions are those of its blocks and those people were given: a block may have been given
    another set since.
    """
    if study.status != Study.Status.CLOSED:
        return False
    of_blocks = QuestionSetMember.objects.filter(set_revision__study_blocks__study=study)
    given = Assignment.objects.filter(participant__study=study, is_attention_check=False)
    questions = Q(question_revision__question__in=of_blocks.values("question_revision__question"))
    questions |= Q(question_revision__question__in=given.values("question_revision__question"))
    members = QuestionSetMember.objects.filter(questions)
    in_use = ~Q(set_revision__question_set__policy=QuestionSet.Policy.OPEN)
    in_use |= Q(set_revision__study_blocks__study__status=Study.Status.OPEN)
    asked = Assignment.objects.filter(questions, participant__study__status=Study.Status.OPEN)
    return not members.filter(in_use).exists() and not asked.exists()


def _shown(participant: Participant) -> Sequence[Assignment]:
    return list(
        Assignment.objects.filter(participant=participant, served_at__isnull=False)
        .select_related("block", "question_revision__question__benchmark", "response", "draft")
        .prefetch_related("question_revision__options", "absences", "response__readings")
        .order_by("position")
    )


def _consent(participant: Participant) -> dict[str, Any] | None:
    text = participant.consent_text
    if text is None:
        return None
    return {
        "version": text.version,
        "text": text.text,
        "said_beside_it": SITE_NOTE,
        "agreed_at": _utc(participant.consented_at),
    }


def _times(participant: Participant) -> dict[str, str | None]:
    names = ("started_at", "profile_answered_at", "practised_at", "finished_at", "counts_since", "withdrawn_at")
    return {name: _utc(getattr(participant, name)) for name in names}


def _reminders(participant: Participant) -> dict[str, Any] | None:
    address = reminder_address_of(participant)
    if address is None:
        return None
    return {
        "email": address.email,
        "asked_for_at": _utc(address.opted_in_at),
        "last_sent_at": _utc(address.last_sent_at),
        "sent": address.n_sent,
    }


def _question(assignment: Assignment, *, with_verdicts: bool) -> dict[str, Any]:
    revision = assignment.question_revision
    texts = {option.option_key: render_text(option.text, "tags-latex") for option in revision.options.all()}
    letters = {key: option_letter(place) for place, key in enumerate(assignment.option_order)}
    response: Response | None = getattr(assignment, "response", None)
    draft: Draft | None = getattr(assignment, "draft", None)
    return {
        "number": assignment.position,
        "part": assignment.block.title,
        "question": revision.question.key,
        "text": render_text(revision.stem, "tags-latex"),
        "options_in_the_order_shown": [f"{letter}. {texts[key]}" for key, letter in letters.items()],
        "shown_at": _utc(assignment.served_at),
        "away": [
            {"kind": absence.get_kind_display(), "from": _utc(absence.began_at), "to": _utc(absence.ended_at)}
            for absence in assignment.absences.all()
        ],
        "not_sent_yet": {"fields": draft.content, "saved_at": _utc(draft.saved_at)} if draft else None,
        "answer": _answer(response, texts, letters, with_verdicts=with_verdicts) if response else None,
    }


def _answer(
    response: Response, texts: dict[str, str], letters: dict[str, str], *, with_verdicts: bool
) -> dict[str, Any]:
    chosen = [key for key in letters if key in response.chosen_option_keys]
    reading = reading_in_force(response)
    answer: dict[str, Any] = {
        "chosen": [f"{letters[key]}. {texts[key]}" for key in chosen],
        "typed": response.typed_text,
        "number_read": reading.number if reading and reading.number else None,
        "do_not_know": response.do_not_know,
        "tools_used": response.tools_used,
        "confidence": response.confidence,
        "answered_at": _utc(response.answered_at),
        "seconds": response.seconds,
        "away_seconds": response.away_seconds,
        "net_seconds": net_seconds(response),
    }
    if with_verdicts and not response.assignment.is_attention_check:
        answer |= {"verdict": response.outcome, "rule": response.rule, "stored_elsewhere": response.imported_record}
    return answer


def _comments(participant: Participant) -> list[dict[str, Any]]:
    return [
        {
            "question": comment.question_revision.question.key,
            "kind": comment.kind,
            "text": comment.text,
            "at": _utc(comment.created_at),
        }
        for comment in participant.comments.select_related("question_revision__question").order_by("created_at")
    ]


def _flags(participant: Participant) -> list[dict[str, Any]]:
    """Return what was found odd about a person's answers.

    Figures, and that attention checks were missed, would tell verdicts: they are there after the study only.
    """
    is_closed = participant.study.status == Study.Status.CLOSED
    found = participant.flags.all() if is_closed else participant.flags.exclude(code=ParticipantFlag.Code.ATTENTION)
    return [
        {
            "finding": flag.get_code_display(),
            "detail": flag.detail if is_closed else "",
            "found_at": _utc(flag.found_at),
            "left_out_of_results": flag.is_left_out,
        }
        for flag in found
    ]


def _canaries(shown: Sequence[Assignment]) -> list[str]:
    return sorted({canary for row in shown if (canary := row.question_revision.question.benchmark.canary)})


def _utc(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds") if moment else None
