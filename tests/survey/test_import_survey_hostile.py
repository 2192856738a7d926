"""Damaged and hostile exports: each is refused with the place and what to do, and the rest goes on."""

import csv
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from corpus.importers import sources
from survey.importers import tables
from survey.importers.chembench_survey import read_survey
from survey.importers.tables import CellError, literal_of, options_in, text_in
from survey.importers.types import UnreadableSurveyError
from survey.models import Response, Study
from tests.survey.survey_exports import (
    ANSWERED,
    EXPORT,
    change_answer,
    change_rows,
    copied_export,
    demo_bank,
    import_survey,
)


@pytest.fixture
def export(tmp_path: Path) -> Path:
    return copied_export(tmp_path)


def refusals(export: Path) -> set[tuple[str, str]]:
    return {(row.what, row.code) for row in read_survey(export).refused}


# Tables


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,answer\n1,2\n", "has no column time and no column questionId"),
        ("", "has no column id"),
        ('id,answer\n"1', "line 1: unexpected end of data|has no column"),
        (b"\xff\xfe\x00", "is not UTF-8"),
        ("id\0", "NUL character"),
    ],
)
def test_a_table_that_is_none_is_refused_with_its_place(export: Path, content: str | bytes, message: str) -> None:
    path = export / "responses.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(UnreadableSurveyError, match=message):
        read_survey(export)


def test_damaged_quotes_are_refused_with_the_line(export: Path) -> None:
    path = export / "users.csv"
    path.write_text(path.read_text("utf-8") + '"p09"x,MSc,1,guest\n', "utf-8")
    with pytest.raises(UnreadableSurveyError, match=r"users\.csv, line 5: "):
        read_survey(export)


def test_a_huge_field_is_refused_and_the_limit_of_other_readers_stays(export: Path) -> None:
    limit = csv.field_size_limit()
    path = export / "users.csv"
    path.write_text(path.read_text("utf-8") + "p09," + "M" * (tables.LONGEST_CELL + 1) + ",1,guest\n", "utf-8")
    with pytest.raises(UnreadableSurveyError, match="field larger than field limit"):
        read_survey(export)
    assert csv.field_size_limit() == limit


def test_too_many_rows_are_refused(export: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MOST_ROWS", 2)
    with pytest.raises(UnreadableSurveyError, match="more than 2 rows"):
        read_survey(export)


@pytest.mark.parametrize("table", ["users.csv", "questions.csv", "responses.csv"])
def test_a_table_must_be_there_once(export: Path, table: str) -> None:
    (export / "again").mkdir()
    (export / "again" / table).write_bytes((export / table).read_bytes())
    with pytest.raises(UnreadableSurveyError, match=f"holds 2 files {table}"):
        read_survey(export)
    (export / "again" / table).unlink()
    (export / table).unlink()
    with pytest.raises(UnreadableSurveyError, match=f"holds no file {table}"):
        read_survey(export)


def test_a_short_row_lacks_cells_and_is_refused_alone(export: Path) -> None:
    path = export / "responses.csv"
    path.write_text(path.read_text("utf-8") + "9999,{}\n", "utf-8")
    found = read_survey(export)
    assert [(row.what, row.code) for row in found.refused] == [("answer", "cell-invalid")]
    assert len(found.answers) == ANSWERED + 2


# Zips


def test_neither_zip_nor_folder(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello", "utf-8")
    for place, message in ((path, "neither a zip nor a folder"), (tmp_path / "none", "no file or folder")):
        with pytest.raises(UnreadableSurveyError, match=message):
            read_survey(place)


def test_a_zip_bomb_is_never_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "bomb.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for table in ("users.csv", "questions.csv"):
            packed.write(EXPORT / table, table)
        packed.writestr("responses.csv", "0" * 2_000_000)
    monkeypatch.setattr(sources, "LARGEST_TABLE_BYTES", 1_000_000)
    with pytest.raises(UnreadableSurveyError, match="larger than 1 MB; a table is not"):
        read_survey(archive)
    monkeypatch.setattr(sources, "MOST_BYTES", 1_500_000)
    with pytest.raises(UnreadableSurveyError, match="unpacks to more than 1 MB"):
        read_survey(archive)


def test_a_damaged_zip_says_so(tmp_path: Path) -> None:
    archive = tmp_path / "humans.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for table in ("users.csv", "questions.csv", "responses.csv"):
            packed.write(EXPORT / table, table)
    content = bytearray(archive.read_bytes())
    content[60:90] = b"\xff" * 30
    archive.write_bytes(content)
    with pytest.raises(UnreadableSurveyError, match="cannot be read from the zip"):
        read_survey(archive)


# Literals


@pytest.mark.parametrize(
    "cell",
    [
        "__import__('os').system('true')",
        "{'input': open('x')}",
        "[1, 2]",
        "{1: 2}",
        "{'a': " * 2000 + "1" + "}" * 2000,
        "(" * 10_000,
        "9" * 5000,
        "{'a': 'b'",
        "{'a': {[]: 1}}",
        "",
    ],
)
def test_a_cell_is_data_or_it_is_refused(cell: str) -> None:
    with pytest.raises(CellError):
        literal_of(cell, column="answer")


def test_a_literal_has_a_longest_length() -> None:
    with pytest.raises(CellError, match="longer than"):
        literal_of("{'a': '" + "x" * tables.LONGEST_LITERAL + "'}", column="answer")


@pytest.mark.parametrize(
    "targets",
    [[], {}, {"A": "1"}, {"A": True}, {"A": 1e999}, {"A": 10**400}, {1: 1}, {"A\0": 1}, {"\ud800": 1}],
)
def test_options_are_texts_with_finite_numbers(targets: Any) -> None:
    with pytest.raises(CellError):
        options_in({"target_scores": targets}, column="answer")


def test_a_text_is_a_text() -> None:
    with pytest.raises(CellError, match="no text"):
        text_in({"input": 3}, "input", column="answer")


# Rows


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"givenAnswer": "4"}, "names place 4 of 4 options"),
        ({"givenAnswer": "-1"}, "no list of places"),
        ({"givenAnswer": "0;1"}, "no list of places"),
        ({"givenAnswer": "²"}, "no list of places"),
        ({"givenAnswer": ""}, "no list of places"),
        ({"givenAnswer": "1"}, "do not mark the same options"),
        ({"correctAnswer": "1,0,0"}, "differ in the number of options"),
        ({"answer": "{'input': 'x'}", "givenAnswer": "n" * 1001}, "longer than 1000"),
        ({"time": "soon"}, "no number of seconds"),
        ({"time": "1e9"}, "no number of seconds"),
        ({"time": "inf"}, "no number of seconds"),
        ({"id": "9001x"}, "no whole number"),
        ({"userId": "p 01"}, "`userId` is no name"),
        ({"toolsUsed": "t" * 2001}, "`toolsUsed` is longer"),
    ],
)
def test_a_row_that_does_not_fit_is_refused_alone(export: Path, cells: dict[str, str], message: str) -> None:
    change_answer(export, 9001, **cells)
    found = read_survey(export)
    (refused,) = found.refused
    assert (refused.what, refused.code) == ("answer", "cell-invalid")
    assert message in refused.reason
    assert refused.place.endswith("responses.csv, line 2")
    assert len(found.answers) == ANSWERED + 1


def test_a_second_answer_to_a_question_never_replaces_the_first(export: Path) -> None:
    change_answer(export, 9010, userId="p01")
    found = read_survey(export)
    (refused,) = found.refused
    assert (refused.code, refused.person, refused.question) == ("answered-twice", "p01", "501")
    kept = [answer.source_id for answer in found.answers if (answer.person, answer.question_id) == ("p01", "501")]
    assert kept == ["9001"]


def test_questions_and_people_that_do_not_fit(export: Path) -> None:
    change_rows(export, "questions.csv", lambda row: {**row, "raw": "eval"} if row["id"] == "501" else row)
    change_rows(export, "users.csv", lambda row: {**row, "id": {"p02": "p01", "p03": "a b"}.get(row["id"], row["id"])})
    assert refusals(export) == {
        ("question", "cell-invalid"),
        ("answer", "question-unknown"),
        ("person", "person-repeated"),
        ("person", "person-invalid"),
    }


@pytest.mark.parametrize("content", ["[]", "{", "[[", "[" * 100_000, "[{}]", '[{"name": 1, "targets_": "1"}]', "\xff"])
def test_a_report_that_is_none_is_refused_alone(export: Path, content: str) -> None:
    path = next((export / "reports" / "tool-allowed" / "p01").glob("complexes*.json"))
    path.write_text(content, "latin-1")
    found = read_survey(export)
    assert [(row.what, row.code, row.person) for row in found.refused] == [("report", "report-invalid", "p01")]
    assert len(found.reports) == ANSWERED - 1


# What the database then gets


def rewrite_report(export: Path, **fields: Any) -> None:
    path = next((export / "reports" / "tool-allowed" / "p01").glob("complexes*.json"))
    (report,) = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps([{**report, **fields}]), "utf-8")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "fields",
    [
        {"prompt": "no options here"},
        {"targets_": "12"},
        {"targets_": {"a": [], "b": 1}},
    ],
)
def test_an_answer_whose_report_cannot_be_settled_has_no_published_verdict_and_all_others(
    export: Path, fields: dict[str, Any]
) -> None:
    demo_bank()
    rewrite_report(export, **fields)
    report = import_survey(export)
    assert [(note["person"], note["code"]) for note in report["notes"]] == [("p01", "report-unmatched")]
    answer = Response.objects.get(
        assignment__participant__pseudonym="p01", assignment__question_revision__question__key__startswith="complexes"
    )
    assert sorted(answer.scores.values_list("rule", flat=True)) == ["standard@1", "survey-option-text@1"]


@pytest.mark.django_db
def test_reports_may_be_missing_and_hold_what_no_database_keeps(export: Path) -> None:
    demo_bank()
    rewrite_report(export, output={"text": "B\0\ud800"}, note={"deep": [float("nan"), "\0"]})
    for path in (export / "reports" / "tool-allowed" / "p02").glob("*.json"):
        path.unlink()
    report = import_survey(export)
    assert {(note["person"], note["code"]) for note in report["notes"]} == {("p02", "report-missing")}
    assert report["new"] == ANSWERED
    assert import_survey(export)["unchanged"] == ANSWERED


@pytest.mark.django_db
def test_an_answer_with_other_options_than_the_bank_is_refused(export: Path) -> None:
    demo_bank()
    change_answer(export, 9002, answer="{'input': '', 'target_scores': {'water': 0, 'fire': 1}}")
    report = import_survey(export)
    assert report["refused_by_code"]["answer"]["options-unmatched"] == 1
    assert report["new"] == ANSWERED - 1


@pytest.mark.django_db
def test_an_option_whose_wording_has_changed_since_is_matched_and_noted(export: Path) -> None:
    demo_bank()
    changed = {
        "answer": "{'input': '', 'target_scores': {'[START_SMILES]O=C(Cl)c1ccc(F)cc1[END_SMILES]': 0, 'amide': 1}}"
    }
    change_answer(export, 9002, **changed)
    report = import_survey(export)
    assert [(note["person"], note["code"]) for note in report["notes"]] == [("p01", "option-text-changed")]
    answer = Response.objects.get(
        assignment__participant__pseudonym="p01", assignment__question_revision__question__key__startswith="preference"
    )
    assert answer.outcome == "right"


@pytest.mark.django_db
def test_the_surveys_own_score_is_checked_and_never_used(export: Path) -> None:
    demo_bank()
    change_answer(export, 9001, score="0")
    report = import_survey(export)
    assert [(note["person"], note["code"]) for note in report["notes"]] == [("p01", "score-differs")]
    assert report["entrants"] == import_survey()["entrants"]


@pytest.mark.django_db
def test_a_failure_half_way_leaves_nothing_behind(export: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    demo_bank()

    def fail(**_: Any) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("survey.services.survey_imports.action_log", fail)
    with pytest.raises(RuntimeError):
        import_survey(export)
    assert not Study.objects.exists()
    assert not Response.objects.exists()


@pytest.mark.django_db
def test_the_command_says_what_to_do_about_a_damaged_export(export: Path) -> None:
    demo_bank()
    (export / "users.csv").unlink()
    with pytest.raises(CommandError, match=r"holds no file users\.csv"):
        import_survey(export)
