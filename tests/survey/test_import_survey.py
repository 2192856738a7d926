"""`import_survey`: people, what they saw, what they answered, and three verdicts on each answer."""

import csv
import json
import zipfile
from collections import Counter
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from corpus.models import ActionLog, Benchmark, QuestionRevision
from corpus.scoring.types import Reading, ReadStatus
from survey.models import Assignment, Participant, Response, ResponseReading, ResponseScore, Study
from survey.selectors.board import board_answers
from survey.selectors.inclusion import inclusions
from survey.services.rescoring import response_reading_correct, study_rescore, study_rescoring_accept
from survey.services.withdrawal import participant_withdraw
from tests.corpus.factories import make_benchmark, make_revision, make_set_revision
from tests.survey.factories import make_study
from tests.survey.survey_exports import (
    ANSWERED,
    EXPECTED,
    EXPORT,
    RULES,
    UNKNOWN,
    change_answer,
    change_rows,
    copied_export,
    demo_bank,
    import_survey,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def benchmark() -> Benchmark:
    return demo_bank()


def stored_outcomes(rule: str) -> dict[str, dict[str, str]]:
    outcomes: dict[str, dict[str, str]] = {}
    for person, key, outcome in ResponseScore.objects.filter(rule=f"{rule}@1").values_list(
        "answer__assignment__participant__pseudonym", "answer__assignment__question_revision__question__key", "outcome"
    ):
        outcomes.setdefault(person, {})[key] = outcome
    return outcomes


def answer_to(person: str, key_start: str) -> Response:
    return Response.objects.get(
        assignment__participant__pseudonym=person,
        assignment__question_revision__question__key__startswith=key_start,
    )


def texts_of(answer: Response, keys: list[str]) -> list[str]:
    by_key = {option.option_key: option.text for option in answer.assignment.question_revision.options.all()}
    return [by_key[key] for key in keys]


# Verdicts


@pytest.mark.usefixtures("benchmark")
@pytest.mark.parametrize("rule", RULES)
def test_every_verdict_is_the_one_worked_out_by_hand(rule: str) -> None:
    import_survey()
    assert stored_outcomes(rule) == {
        person: {key: verdicts[rule] for key, verdicts in theirs.items()} for person, theirs in EXPECTED.items()
    }


@pytest.mark.usefixtures("benchmark")
def test_a_place_is_looked_up_in_the_order_shown_and_a_reports_letter_in_that_of_its_prompt() -> None:
    import_survey()
    answer = answer_to("p01", "spectra")
    shown = texts_of(answer, answer.assignment.option_order)
    assert answer.imported_record["survey"]["givenAnswer"] == "0"
    assert texts_of(answer, answer.chosen_option_keys) == shown[:1] == ["[START_SMILES]Cc1ccc(C)cc1[END_SMILES]"]
    reported = answer.readings.get(reader="as-published@1")
    assert answer.imported_record["report"]["parsed_output"] == ["A"]
    assert texts_of(answer, reported.option_keys) == sorted(shown)[:1] == ["[START_SMILES]CCc1ccccc1[END_SMILES]"]
    assert answer.readings.get(reader="standard@1").option_keys == answer.chosen_option_keys


@pytest.mark.usefixtures("benchmark")
def test_the_current_verdict_is_that_of_the_default_rule() -> None:
    import_survey()
    current = {
        (answer.assignment.participant.pseudonym, answer.assignment.question_revision.question.key): answer.outcome
        for answer in Response.objects.all()
    }
    assert current == {
        (person, key): verdicts["standard"] for person, theirs in EXPECTED.items() for key, verdicts in theirs.items()
    }
    assert set(Response.objects.values_list("rule", flat=True)) == {"standard@1"}


@pytest.mark.usefixtures("benchmark")
def test_differences_from_the_option_text_are_listed_each_with_its_reason() -> None:
    found = import_survey()["differences"]
    wanted = {
        (person, key)
        for person, theirs in EXPECTED.items()
        for key, verdicts in theirs.items()
        if verdicts["standard"] != verdicts["survey-option-text"]
    }
    assert {(line["person"], line["key"]) for line in found["lines"]} == wanted
    assert found["n_unexplained"] == 0
    assert {(line["person"], line["key"].partition("-")[0]): line["cause"] for line in found["lines"]} == {
        ("p01", "oxidation_numbers"): "target-zero-or-below",
        ("p02", "oxidation_numbers"): "lost-minus",
        ("p01", "thermodynamics"): "multiplication-sign",
        ("p01", "stereochemistry"): "kept-as-reported",
        ("p02", "stereochemistry"): "kept-as-reported",
    }
    assert all(line["reason"] for line in found["lines"])


@pytest.mark.usefixtures("benchmark")
@pytest.mark.parametrize("against", ["survey-option-text", "as-published"])
def test_rescore_lists_what_differs_from_published_verdicts_of_people(against: str, tmp_path: Path) -> None:
    import_survey()
    path = tmp_path / "differences.csv"
    call_command("rescore", "--study", "demo-survey", "--against", against, "--report", str(path), stdout=StringIO())
    with path.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert "(unexplained)" not in {row["cause"] for row in rows}
    expected = {
        (person, key): (verdicts[against], verdicts["standard"])
        for person, theirs in EXPECTED.items()
        for key, verdicts in theirs.items()
        if verdicts[against] != verdicts["standard"]
    }
    assert {(row["system"], row["key"]): (row["published_outcome"], row["outcome"]) for row in rows} == expected


@pytest.mark.usefixtures("benchmark")
@pytest.mark.parametrize("rule", RULES)
def test_rescoring_an_import_changes_nothing(rule: str) -> None:
    import_survey()
    scores = ResponseScore.objects.count()
    (proposed,) = study_rescore(study=Study.objects.get(), rule=rule)
    assert proposed.rescoring is None
    assert (proposed.counts.n_answers, proposed.counts.n_skipped, proposed.counts.n_drifted) == (ANSWERED, 0, 0)
    assert ResponseScore.objects.count() == scores


def test_answers_given_here_are_not_judged_as_if_they_were_imported(benchmark: Benchmark) -> None:
    make_study(slug="own")
    with pytest.raises(CommandError, match="no imported answer"):
        call_command("rescore", "--study", "own", "--against", "survey-option-text", stdout=StringIO())


# People, and what they were given


@pytest.mark.usefixtures("benchmark")
def test_people_keep_their_pseudonyms_and_what_is_known_of_them() -> None:
    import_survey()
    people = Participant.objects.order_by("pseudonym")
    assert list(people.values_list("pseudonym", "source_name", "education", "years_experience", "is_demo")) == [
        ("p01", "p01", "master", 7, False),
        ("p02", "p02", "doctorate", 12, False),
        ("p03", "p03", "", None, False),
    ]
    assert [person.finished_at is not None for person in people] == [True, True, False]


@pytest.mark.usefixtures("benchmark")
def test_the_study_is_closed_and_its_consent_says_whose_it_was() -> None:
    import_survey()
    study = Study.objects.get()
    assert (study.slug, study.status, study.is_demo) == ("demo-survey", "closed", False)
    (consent,) = study.consent_texts.all()
    assert "Nobody agreed to anything on this site" in consent.text
    assert set(Participant.objects.values_list("consent_text", flat=True)) == {consent.pk}


@pytest.mark.usefixtures("benchmark")
def test_answered_questions_come_in_the_order_answered_and_what_was_never_answered_after_them() -> None:
    import_survey()
    person = Participant.objects.get(pseudonym="p03")
    given = person.assignments.select_related("block", "question_revision__question")
    keys = [row.question_revision.question.key.partition("-")[0] for row in given]
    assert keys[:3] == ["bonding", "oxidation_numbers", "spectra"]
    assert sorted(keys) == sorted({key.partition("-")[0] for key in EXPECTED["p01"]})
    assert [row.position for row in given] == list(range(1, 8))
    assert [hasattr(row, "response") for row in given] == [True] * 3 + [False] * 4
    assert [row.block.slug for row in given][3:] == ["no-tools", "tools", "tools", "tools"]
    unanswered = given.get(question_revision__question__key__startswith="complexes")
    by_key = {option.option_key: option.text for option in unanswered.question_revision.options.all()}
    assert by_key[unanswered.option_order[0]] == "\\ce{[CoF6]^{3-}}"


@pytest.mark.usefixtures("benchmark")
def test_what_was_typed_how_long_it_took_and_which_tools_are_kept() -> None:
    import_survey()
    number = answer_to("p01", "thermodynamics")
    assert (number.typed_text, number.seconds, number.tools_used) == ("4.15×10⁻²¹", 61.0, ["calculator"])
    assert number.imported_record["report"]["parsed_output"] == 4.15
    assert answer_to("p01", "stereochemistry").tools_used == ["none"]
    assert answer_to("p02", "stereochemistry").tools_used == ["other: asked a colleague"]
    assert answer_to("p02", "complexes").tools_used == ["web search", "calculator"]
    assert number.confidence is None
    assert Assignment.objects.filter(served_at__isnull=False).count() == 0


# The report


@pytest.mark.usefixtures("benchmark")
def test_the_report_counts_what_was_accepted_and_names_what_was_refused() -> None:
    report = import_survey()
    assert (report["accepted"], report["new"], report["refused"]) == (ANSWERED, ANSWERED, UNKNOWN)
    assert report["people"] == {"new": 3, "changed": 0, "unchanged": 0}
    assert report["refused_by_code"] == {
        "answer": {"question-not-in-set": 2},
        "question": {"question-not-in-set": 1},
    }
    assert {(row["person"], row["question"]) for row in report["refusals"]} == {
        ("", "505"),
        ("p01", "505"),
        ("p02", "505"),
    }
    assert report["kept_as_reported"] == {"p01": 1, "p02": 1}
    assert report["notes"] == []


@pytest.mark.usefixtures("benchmark")
def test_entrants_have_their_counts_under_each_rule() -> None:
    entrants = {entrant["slug"]: entrant for entrant in import_survey()["entrants"]}
    for person, theirs in EXPECTED.items():
        entrant = entrants[person]
        assert (entrant["name"], entrant["kind"], entrant["n_questions"]) == (person, "person", len(theirs))
        for rule in RULES:
            outcomes = [verdicts[rule] for verdicts in theirs.values()]
            counts = {outcome: n for outcome, n in entrant["rules"][rule].items() if n}
            assert counts == {outcome: outcomes.count(outcome) for outcome in set(outcomes)}


@pytest.mark.usefixtures("benchmark")
def test_counts_for_a_set_are_of_that_set_alone() -> None:
    entrants = {entrant["slug"]: entrant for entrant in import_survey(EXPORT, "--set", "demo-mini-tools")["entrants"]}
    assert set(entrants) == {"p01", "p02"}
    assert {entrant["n_questions"] for entrant in entrants.values()} == {3}


@pytest.mark.usefixtures("benchmark")
def test_without_json_every_difference_is_printed() -> None:
    out = StringIO()
    call_command("import_survey", str(EXPORT), "--benchmark", "demo", stdout=out)
    printed = out.getvalue()
    assert "people 3 new" in printed
    assert "refused question 505: question-not-in-set" in printed
    assert "5 answers differ" in printed
    assert printed.count("kept-as-reported") == 2


@pytest.mark.usefixtures("benchmark")
def test_a_dry_run_reports_the_same_and_stores_nothing() -> None:
    dry = import_survey(EXPORT, "--dry-run")
    assert not Study.objects.exists()
    assert not Participant.objects.exists()
    real = import_survey()
    assert dry == {**real, "dry_run": True}


# Again


def rows_stored() -> dict[str, list[dict[str, object]]]:
    models = (Study, Participant, Assignment, Response, ResponseReading, ResponseScore, ActionLog)
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in models}


def test_importing_twice_changes_nothing(benchmark: Benchmark) -> None:
    import_survey()
    before = rows_stored()
    version = Benchmark.objects.get(pk=benchmark.pk).results_version
    again = import_survey()
    assert (again["new"], again["changed"], again["unchanged"]) == (0, 0, ANSWERED)
    assert again["people"] == {"new": 0, "changed": 0, "unchanged": 3}
    assert rows_stored() == before
    assert Benchmark.objects.get(pk=benchmark.pk).results_version == version


def test_a_changed_export_updates_what_has_changed(benchmark: Benchmark, tmp_path: Path) -> None:
    import_survey()
    version = Benchmark.objects.get(pk=benchmark.pk).results_version
    first = set(Response.objects.values_list("pk", flat=True))
    export = copied_export(tmp_path)
    change_answer(export, 9006, givenAnswer="5")
    change_rows(export, "users.csv", lambda row: {**row, "experience": "3"} if row["id"] == "p03" else row)
    report = import_survey(export)
    assert (report["new"], report["changed"], report["unchanged"]) == (0, 1, ANSWERED - 1)
    assert report["people"]["changed"] == 1
    answer = answer_to("p01", "thermodynamics")
    assert (answer.typed_text, answer.outcome) == ("5", "wrong")
    assert answer.readings.get(reader="standard@1").number == "5"
    assert answer.scores.count() == 3
    assert set(Response.objects.values_list("pk", flat=True)) == first
    assert Participant.objects.get(pseudonym="p03").years_experience == 3
    assert Benchmark.objects.get(pk=benchmark.pk).results_version > version


@pytest.mark.usefixtures("benchmark")
def test_answers_that_come_later_are_added_and_those_gone_from_the_export_are_kept(tmp_path: Path) -> None:
    export = copied_export(tmp_path)
    change_rows(export, "responses.csv", lambda row: None if row["id"] == "9008" else row)
    assert import_survey(export)["new"] == ANSWERED - 1
    assert Participant.objects.get(pseudonym="p01").finished_at is None
    positions = list(Assignment.objects.values_list("pk", "position"))
    report = import_survey()
    assert (report["new"], report["unchanged"], report["kept"]) == (1, ANSWERED - 1, 0)
    assert Participant.objects.get(pseudonym="p01").finished_at is not None
    assert list(Assignment.objects.values_list("pk", "position")) == positions
    assert import_survey(export)["kept"] == 1
    assert Response.objects.count() == ANSWERED


def counted_people(benchmark: Benchmark) -> dict[str, tuple[bool, bool, int]]:
    """Return by pseudonym whether somebody counts, whether they have joined, and how many answers boards read."""
    roots = benchmark.questions.values_list("current_revision_id", flat=True)
    read = Counter(answer.participant_id for answer in board_answers(root_ids=list(roots), rule="standard@1"))
    return {
        person.pseudonym: (found.counts, person.counts_since is not None, read[person.pk])
        for found in inclusions(study=Study.objects.get()).people.values()
        for person in [Participant.objects.get(pk=found.participant_id)]
    }


@pytest.mark.parametrize(("cell", "value"), [("id", "9008"), ("userId", "p02")])
def test_what_a_later_import_brings_counts_like_what_the_first_one_brought(
    benchmark: Benchmark, tmp_path: Path, cell: str, value: str
) -> None:
    export = copied_export(tmp_path)
    change_rows(export, "responses.csv", lambda row: None if row[cell] == value else row)
    change_rows(export, "users.csv", lambda row: None if cell == "userId" and row["id"] == value else row)
    import_survey(export)
    import_survey()
    everybody = {"p01": (True, True, 7), "p02": (True, True, 7), "p03": (False, False, 3)}
    assert counted_people(benchmark) == everybody
    closed_at = Study.objects.get().closed_at
    assert not Response.objects.filter(answered_at__gt=closed_at).exists()
    assert not Participant.objects.filter(finished_at__gt=closed_at).exists()


@pytest.mark.usefixtures("benchmark")
def test_whoever_has_withdrawn_is_not_brought_back() -> None:
    import_survey()
    participant_withdraw(participant=Participant.objects.get(pseudonym="p02"))
    report = import_survey()
    assert report["refused_by_code"]["answer"]["person-withdrawn"] == len(EXPECTED["p02"])
    assert not Response.objects.filter(assignment__participant__source_name="p02").exists()


@pytest.mark.usefixtures("benchmark")
def test_an_answer_whose_reading_a_maintainer_has_corrected_is_not_replaced(tmp_path: Path) -> None:
    import_survey()
    actor = User.objects.create_user("maintainer")
    answer = answer_to("p03", "oxidation")
    response_reading_correct(
        response=answer,
        reading=Reading(ReadStatus.DO_NOT_KNOW, reader=f"person:{actor.pk}"),
        reason="said so",
        actor=actor,
    )
    export = copied_export(tmp_path)
    change_answer(export, 9018, givenAnswer="-4")
    report = import_survey(export)
    assert report["refused_by_code"]["answer"]["correction-kept"] == 1
    assert answer_to("p03", "oxidation").typed_text == "asdf"


def key_corrected(benchmark: Benchmark) -> QuestionRevision:
    """Correct the key of the number, and judge what is stored by it."""
    question = benchmark.questions.get(key__startswith="thermodynamics")
    asked = question.current_revision
    assert asked is not None
    later = make_revision(question, kind="number", stem=asked.stem, target="5", change="key", uuid=asked.uuid)
    for question_set in benchmark.question_sets.all():
        members = question_set.current_revision.members.select_related("question_revision__question")
        make_set_revision(question_set, [member.question_revision.question for member in members.order_by("position")])
    for proposed in study_rescore(study=Study.objects.get()):
        study_rescoring_accept(rescoring_id=proposed.rescoring.pk)
    return later


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        ({}, {"time": "77"}, "wrong"),
        ({}, {"givenAnswer": "5"}, "right"),
        (None, {}, "wrong"),
        (None, {"givenAnswer": "5"}, "right"),
    ],
)
def test_a_later_import_is_judged_by_the_key_that_was_corrected_meanwhile(
    benchmark: Benchmark,
    tmp_path: Path,
    first: dict[str, str] | None,
    second: dict[str, str],
    outcome: str,
) -> None:
    export = copied_export(tmp_path / "first")
    change_rows(export, "responses.csv", lambda row: None if first is None and row["id"] == "9006" else row)
    import_survey(export)
    later = key_corrected(benchmark)
    again = copied_export(tmp_path / "again")
    change_answer(again, 9006, **second)
    report = import_survey(again)
    assert report["new"] + report["changed"] == 1
    answer = answer_to("p01", "thermodynamics")
    assert (answer.outcome, answer.key_revision) == (outcome, later)
    assert {(score.rule, score.key_revision) for score in answer.scores.all()} == {
        (f"{rule}@1", later) for rule in RULES
    }
    assert counted_people(benchmark)["p01"] == (True, True, 7)


# Doors


@pytest.mark.usefixtures("benchmark")
def test_a_zip_and_its_folder_are_the_same(tmp_path: Path) -> None:
    archive = tmp_path / "humans.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for file in sorted(EXPORT.rglob("*")):
            packed.write(file, file.relative_to(EXPORT))
    from_zip = import_survey(archive)
    assert from_zip["new"] == ANSWERED
    assert import_survey()["unchanged"] == ANSWERED


@pytest.mark.usefixtures("benchmark")
def test_a_study_made_here_is_never_filled_with_an_import() -> None:
    make_study(slug="ours")
    with pytest.raises(CommandError, match="was made here"):
        import_survey(EXPORT, "--study", "ours")
    assert not Participant.objects.exists()


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no benchmark demo"):
        import_survey()
    make_benchmark(slug="demo")
    with pytest.raises(CommandError, match="no question set demo-mini-no-tools"):
        import_survey()
    demo_bank("other")
    with pytest.raises(CommandError, match="no question set nowhere"):
        call_command("import_survey", str(EXPORT), "--benchmark", "other", "--set", "nowhere", stdout=StringIO())
    assert not Study.objects.exists()


def test_sets_may_have_other_names(benchmark: Benchmark) -> None:
    benchmark.question_sets.filter(slug="demo-mini-tools").update(slug="with")
    benchmark.question_sets.filter(slug="demo-mini-no-tools").update(slug="without")
    assert import_survey(EXPORT, "--tools-set", "with", "--no-tools-set", "without")["new"] == ANSWERED


def test_an_export_without_a_single_known_question_is_a_failure() -> None:
    benchmark = demo_bank()
    benchmark.question_sets.filter(slug="demo-mini-tools").update(slug="x")
    benchmark.question_sets.filter(slug="demo-mini-no-tools").update(slug="demo-mini-tools")
    benchmark.question_sets.filter(slug="x").update(slug="demo-mini-no-tools")
    out = StringIO()
    with pytest.raises(CommandError, match="No answer of the export"):
        call_command("import_survey", str(EXPORT), "--benchmark", "demo", "--json", stdout=out)
    codes = json.loads(out.getvalue())["refused_by_code"]["question"]
    assert codes == {"block-differs": 7, "question-not-in-set": 1}
