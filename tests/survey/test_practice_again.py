"""Drawing questions at the moment at which an editor takes a part out of the study."""

from typing import Any

import pytest
from django.db import IntegrityError

from survey.services import participants as participants_module
from survey.services import practice_record, profile_record
from survey.services.assignments import assignments_draw
from tests.survey.factories import make_participant, make_study

pytestmark = pytest.mark.django_db(transaction=True)


def test_questions_are_drawn_once_more_where_a_part_was_deleted_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_study()
    kept, gone = study.blocks.all()
    person = make_participant(study, practised=False)
    profile_record(participant=person)

    def overtaken(**options: Any) -> int:
        if study.blocks.filter(pk=gone.pk).exists():
            # The questions drawn are of a part that another transaction has deleted.
            monkeypatch.setattr(participants_module, "assignments_draw", gone_first)
            raise IntegrityError
        return assignments_draw(**options)

    def gone_first(**options: Any) -> int:
        gone.delete()
        return assignments_draw(**options)

    monkeypatch.setattr(participants_module, "assignments_draw", overtaken)
    practice_record(participant=person)
    assert {assignment.block_id for assignment in person.assignments.all()} == {kept.pk}
    assert person.practised_at is not None
