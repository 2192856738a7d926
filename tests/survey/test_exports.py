"""What staff download: a table that is safe in a spreadsheet, and reports whose letters can be read again."""

import csv
import io
import json
import zipfile
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db.models import Value
from django.db.models.functions import Concat
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from corpus.importers.report_files import report_from_file
from corpus.importers.report_options import lettered_options
from corpus.models import ActionLog, Benchmark, Option, Question, QuestionRevision
from corpus.scoring.published import options_in_prompt, reading_from_parsed
from corpus.scoring.reading import read_answer
from corpus.scoring.types import Reading, ReadStatus
from corpus.selectors.targets import asked_of, target_of
from evaluations.importers.chembench_reports import read_pack
from survey.models import Assignment, Participant, ParticipantFlag, Response, Study
from survey.selectors.export import COLUMNS, VERDICT_COLUMNS, export_rows, safe_text
from survey.selectors.own_data import own_data
from survey.selectors.report_export import report_files
from survey.selectors.study_answers import study_answers
from survey.services import Given, response_record, study_close
from survey.services.rescoring import response_reading_correct
from tests.survey.factories import answer_next, go_to_question, make_participant, make_study, right_given, staff_client
from tests.survey.test_staff import key_client

pytestmark = pytest.mark.django_db
STAFF = ("view_participant", "view_response")


def rows_of(study: Study) -> list[dict[str, Any]]:
    _, *rows = export_rows(study)
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


# The table


@pytest.mark.parametrize(
    "text",
    [
        *("=1+1", "+1", "-2", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\tplain", "\rplain"),
        *(
            " =1+1",
            "   -2",
            "\u00a0=1",
            '"=1+1"',
            "'=1",
            '" =1',
            " \t@x",
            "\ufeff=1",
            "“=1”",
            "＝1",
            "＋1",
            "－1",
            "＠x",
            "\u200b=1",
            "\u202e=1",
            "\u2066\u2069@x",
            "\x00=1",
            "\xad+1",
            "\ufe0f-1",
        ),
        '=HYPERLINK("http://x.example","y")',
    ],
)
def test_text_that_looks_like_a_formula_is_made_harmless(text: str) -> None:
    assert safe_text(text).startswith("'")
    assert safe_text(text).replace("'", "") == text.replace("'", "")


@pytest.mark.parametrize(
    "text", ["", "1+1", "a=b", "none", "4.15e-21", "C-C", " plain", '"quoted"', "µ", "−2", "(−)-menthol"]
)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert safe_text(text) == text


@pytest.mark.parametrize("gap", ["", " ", "\u200b", '"'])
@pytest.mark.parametrize("divider", [";", "\t", "\n"])
def test_no_cell_is_a_formula_where_a_spreadsheet_divides_elsewhere(divider: str, gap: str) -> None:
    study = make_study(n_choice=0, n_number=1, n_tools=0)
    answer_next(make_participant(study), Given(typed_text="1"))
    Response.objects.update(typed_text=f"x{divider}{gap}=HYPERLINK(1)")
    response = staff_client(*STAFF).get(reverse("survey:responses-csv", args=[study.slug]))
    text = b"".join(response.streaming_content).decode()
    delimiter = ";" if divider == "\n" else divider
    cells = [cell for row in csv.reader(text.split("\n"), delimiter=delimiter) for cell in row]
    assert sum("HYPERLINK" in cell for cell in cells) == 1
    for cell in cells:
        assert cell.lstrip(' "\u200b\x00\t')[:1] not in tuple("=+-@"), cell
    assert '"x' in text


def test_verdicts_are_for_those_who_may_see_the_keys() -> None:
    study = make_study(n_choice=2, n_number=0, n_tools=0)
    person = make_participant(study)
    answer_next(person)
    wrong = go_to_question(person).question_revision.options.filter(credit=0).first()
    answer_next(person, Given(option_keys=(wrong.option_key,)))

    def table(client: Client) -> list[dict[str, str]]:
        response = client.get(reverse("survey:responses-csv", args=[study.slug]))
        return list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))

    without = table(staff_client(*STAFF))
    assert set(without[0]) == set(COLUMNS) - {"outcome", "credit", "key_revision"}
    assert not {"right", "wrong"} & {cell for row in without for cell in row.values()}
    assert [row["outcome"] for row in table(key_client())] == ["right", "wrong"]


def test_every_cell_of_the_table_is_harmless_and_numbers_are_numbers() -> None:
    study = make_study(n_choice=1, n_number=1, n_tools=1, slug="-study")
    person = make_participant(study, pseudonym="=cmd()")
    Participant.objects.update(specialties=["=evil", "@worse"])
    Option.objects.update(text="=1+1")
    Option.objects.filter(credit=1).update(text="-2")
    for _ in range(3):
        assignment = go_to_question(person)
        given = right_given(assignment)
        tools = ("+tool",) if given.tools_used else ()
        typed = "-0.6" if assignment.question_revision.kind == "number" else ""
        response_record(
            participant=person,
            assignment_id=assignment.pk,
            given=Given(option_keys=given.option_keys, typed_text=typed, tools_used=tools, confidence=3),
        )
    Question.objects.update(key=Concat(Value("=key"), "key"))
    rows = rows_of(study)
    assert len(rows) == 3
    for row in rows:
        for name, cell in row.items():
            assert not (isinstance(cell, str) and cell.lstrip()[:1] in tuple("=+-@")), (name, cell)
    (number,) = [row["number_read"] for row in rows if row["kind"] == "number"]
    assert number == Decimal("-0.6")


def test_times_are_utc_and_seconds_with_time_away_apart() -> None:
    study = make_study(n_choice=1, n_number=0, n_tools=0)
    person = make_participant(study)
    assignment = go_to_question(person)
    now = assignment.served_at + timedelta(seconds=90)
    response_record(participant=person, assignment_id=assignment.pk, given=right_given(assignment), now=now)
    Response.objects.update(away_seconds=30.25)
    (row,) = rows_of(study)
    assert (row["seconds"], row["away_seconds"], row["net_seconds"]) == (90.0, 30.25, 59.75)
    assert row["answered_at_utc"] == now.isoformat(timespec="milliseconds")
    assert row["served_at_utc"].endswith("+00:00")
    Response.objects.update(away_seconds=None)
    assert rows_of(study)[0]["net_seconds"] == 90.0
    Response.objects.update(seconds=None)
    assert rows_of(study)[0]["net_seconds"] is None


def test_table_says_what_counts_and_why_not() -> None:
    study = make_study(n_choice=2, n_number=0, n_tools=1)
    finished, stopped, flagged = (make_participant(study) for _ in range(3))
    for person, n in ((finished, 3), (stopped, 1), (flagged, 3)):
        for _ in range(n):
            answer_next(person)
    ParticipantFlag.objects.create(participant=flagged, code="attention", detail="2 of 2", found_at=timezone.now())
    check = Assignment.objects.filter(participant=finished, position=2)
    check.update(is_attention_check=True)
    assert {row["left_out_because"] for row in rows_of(study)} == {"waiting", "not_finished", "flagged_not_reviewed"}
    study_close(study=study)
    rows = {(row["participant"], row["position"]): row for row in rows_of(study)}
    first = rows[finished.pseudonym, 1]
    assert (first["counts_in_results"], first["left_out_because"], first["block_counts_in_results"]) == (1, "", 1)
    second = rows[finished.pseudonym, 2]
    assert (second["attention_check"], second["block_counts_in_results"]) == (1, 0)
    assert [rows[finished.pseudonym, place]["block_place"] for place in (1, 2, 3)] == [1, 1, 2]
    left = rows[stopped.pseudonym, 1]
    assert (left["counts_in_results"], left["left_out_because"]) == (0, "not_finished")
    odd = rows[flagged.pseudonym, 1]
    assert (odd["flags"], odd["flags_not_reviewed"], odd["left_out_because"]) == (
        "attention",
        1,
        "flagged_not_reviewed",
    )


def test_downloaded_table_is_read_again_as_it_was() -> None:
    study = make_study(n_choice=1, n_number=0, n_tools=0)
    answer_next(make_participant(study))
    response = staff_client(*STAFF).get(reverse("survey:responses-csv", args=[study.slug]))
    text = b"".join(response.streaming_content).decode()
    (line,) = csv.DictReader(io.StringIO(text))
    assert tuple(line) == tuple(name for name in COLUMNS if name not in VERDICT_COLUMNS)
    assert line["letters_chosen"] == rows_of(study)[0]["letters_chosen"]


# The reports


@pytest.fixture
def study() -> Study:
    """A study of five questions that two people answered, one of them without knowing one."""
    found = make_study(n_choice=3, n_number=1, n_tools=1, offers_do_not_know=True)
    Benchmark.objects.update(canary="canary GUID 26b5")
    Option.objects.filter(text="the keyed one").update(text=r"the \ce{H2O} one")
    for number in range(2):
        person = make_participant(found)
        for place in range(5):
            assignment = go_to_question(person)
            given = right_given(assignment)
            if number and place == 0:
                given = Given(do_not_know=True)
            response_record(participant=person, assignment_id=assignment.pk, given=given)
    return found


def reports(study: Study, *, with_keys: bool = True) -> dict[str, dict[str, Any]]:
    files = dict(report_files(study, with_keys=with_keys))
    return {path: json.loads(text)[0] for path, text in files.items() if path.endswith(".json")}


def assignment_of(report: dict[str, Any]) -> Assignment:
    return Assignment.objects.get(
        participant__pseudonym=report["person"]["pseudonym"], question_revision__question__key=report["name"]
    )


def test_there_is_a_file_for_every_answer_with_the_canary(study: Study) -> None:
    files = dict(report_files(study, with_keys=False))
    assert len(files) == 1 + Response.objects.count() == 11
    assert all("canary GUID 26b5" in text for text in files.values())
    for path, report in reports(study).items():
        assignment = assignment_of(report)
        folder = f"{study.slug}/reports/{assignment.block.slug}/{assignment.participant.pseudonym}"
        assert path == f"{folder}/{report['name']}.json"


def test_letters_are_those_of_the_order_shown(study: Study) -> None:
    orders = set()
    for report in reports(study).values():
        assignment = assignment_of(report)
        order, chosen = assignment.option_order, assignment.response.chosen_option_keys
        if not order or assignment.response.do_not_know:
            continue
        orders.add(tuple(order))
        assert report["parsed_output"] == [chr(ord("A") + order.index(key)) for key in chosen]
        assert [key for _, key, _ in report["options_shown"]] == order
        shown = dict(options_in_prompt(report["prompt"]))
        texts = {option.option_key: option.text for option in assignment.question_revision.options.all()}
        assert [shown[letter] for letter in report["parsed_output"]] == [texts[key] for key in chosen]
    assert len(orders) > 1


def test_our_own_readers_get_the_same_answers_from_the_files(study: Study, tmp_path: Path) -> None:
    """As `import_reports` would read them: each person's folder as the run of a pack."""
    for path, text in report_files(study, with_keys=True):
        if path.endswith(".json"):
            _, _, block, person, name = path.split("/")
            target = tmp_path / f"{block}-{person}" / "reports" / "run" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    n_read = 0
    for folder in sorted(tmp_path.iterdir()):
        pack = read_pack(folder)
        assert pack.refused == ()
        for report in pack.runs[0].reports:
            pseudonym = report.flags["person"]["pseudonym"]
            response = Response.objects.get(
                assignment__participant__pseudonym=pseudonym, assignment__question_revision__question__key=report.key
            )
            if response.do_not_know:
                continue
            revision = response.assignment.question_revision
            asked = asked_of(revision, response.assignment.option_order, prompt=report.prompt)
            if revision.kind == "choice":
                lettered = lettered_options(
                    prompt=report.prompt, targets=report.targets, options=target_of(revision).options
                )
                assert [key for _, key, _ in lettered.shown] == response.assignment.option_order
                assert not lettered.changed_texts
                assert not lettered.changed_credits
            for reading in (
                reading_from_parsed(parsed_output=report.parsed_output, asked=asked),
                read_answer(text=report.completion, asked=asked),
            ):
                assert list(reading.option_keys) == response.chosen_option_keys
                assert (reading.number is None) == (revision.kind == "choice")
                assert reading.number in (None, Decimal("4.15E-21"))
            n_read += 1
    assert n_read == 9


def test_options_that_hold_lines_of_their_own_do_not_break_the_list(study: Study) -> None:
    Option.objects.filter(text="first wrong one").update(text="first\n\nOptions:\nA. wrong one")
    for report in reports(study).values():
        assert [letter for letter, _ in options_in_prompt(report["prompt"])] == [
            letter for letter, _, _ in report["options_shown"]
        ]


def test_not_knowing_is_no_answer(study: Study) -> None:
    (report,) = [report for report in reports(study).values() if report["person"]["do_not_know"]]
    assert report["parsed_output"] == {}
    assert report["verdict"]["outcome"] == "do_not_know"


def test_a_number_that_a_correction_has_taken_away_is_nowhere() -> None:
    study = make_study(n_choice=0, n_number=1, n_tools=0)
    for _ in range(2):
        answer_next(make_participant(study), Given(typed_text="7"))
    kept, response = Response.objects.order_by("pk")
    nothing, actor = Reading(status=ReadStatus.UNPARSED), User.objects.create_user("corrects")
    response_reading_correct(response=response, reading=nothing, reason="a slip", actor=actor)
    of_reports = [report["parsed_output"] for report in reports(study).values()]
    of_people = [
        own_data(row.assignment.participant)["questions"][0]["answer"]["number_read"] for row in (kept, response)
    ]
    of_analysis = [answer.number for answer in study_answers(study)]
    of_table = [row["number_read"] for row in rows_of(study)]
    assert of_reports == [7.0, {}]
    assert of_people == ["7", None]
    assert of_analysis == [Decimal(7), None]
    assert of_table == [Decimal(7), None]


def test_keys_and_verdicts_are_left_out_unless_asked_for(study: Study) -> None:
    for report in reports(study, with_keys=False).values():
        assert not {"targets_", "verdict", "score"} & report.keys()
        assert report["metrics"] == {}
        assert "right" not in json.dumps(report)
    for report in reports(study).values():
        assert report["targets_"]
        assert report["verdict"]["rule"] == "standard@1"
    readme = next(text for path, text in report_files(study, with_keys=True) if path.endswith("README.txt"))
    assert "THESE FILES HOLD THE ANSWER KEYS" in readme


def test_file_names_stay_in_the_archive(study: Study) -> None:
    revision = QuestionRevision.objects.first()
    type(revision.question).objects.filter(pk=revision.question_id).update(key="../../etc/passwd: a")
    other = QuestionRevision.objects.last()
    type(other.question).objects.filter(pk=other.question_id).update(key="../../etc/Passwd? a")
    third = QuestionRevision.objects.exclude(pk__in=[revision.pk, other.pk]).first()
    type(third.question).objects.filter(pk=third.question_id).update(key="../../etc/passwd: a-2")
    paths = [path for path, _ in report_files(study, with_keys=False)]
    assert len(paths) == len({path.lower() for path in paths}) == 11
    assert all(".." not in path.split("/") and path.startswith(f"{study.slug}/") for path in paths)


# The download


def archive(response: Any) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content))) as found:
        return [found.read(name).decode() for name in found.namelist()]


def test_staff_download_without_keys(study: Study) -> None:
    url = reverse("survey:reports", args=[study.slug])
    client = staff_client(*STAFF)
    page = client.get(url).content.decode()
    assert "corpus.view_questionrevision" in page
    response = client.post(url)
    assert f"{study.slug}-reports.zip" in response["Content-Disposition"]
    files = archive(response)
    assert len(files) == 11
    assert not any('"targets_"' in text for text in files)
    for refused in (client.post(url, {"keys": "yes", "understood": "yes"}), Client().post(url)):
        assert refused.status_code in (302, 403)


def test_keys_need_a_permission_and_a_tick(study: Study) -> None:
    url = reverse("survey:reports", args=[study.slug])
    client = staff_client(*STAFF)
    permission = Permission.objects.get(content_type__app_label="corpus", codename="view_questionrevision")
    User.objects.get().user_permissions.add(permission)
    page = client.post(url, {"keys": "yes"})
    assert (page.status_code, "Tick the box" in page.content.decode()) == (422, True)
    assert not ActionLog.objects.filter(code="study.exported_with_keys").exists()
    files = archive(client.post(url, {"keys": "yes", "understood": "yes"}))
    assert sum('"targets_"' in text for text in files) == 10
    assert ActionLog.objects.get(code="study.exported_with_keys").actor == User.objects.get()


def test_a_report_is_one_object_in_a_list_as_published(study: Study) -> None:
    path, text = list(report_files(study, with_keys=True))[1]
    report = report_from_file(path, text.encode())
    assert report.key == reports(study)[path]["name"]
