"""Files of stated confidence come in beside the answers of imported runs: once, whole, with every refusal named."""

import json
import zipfile
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from corpus.models import ActionLog, Benchmark
from evaluations.importers.chembench_reports import UnreadablePackError
from evaluations.importers.confidence_files import level_of, read_confidence_pack
from evaluations.models import Item, ItemConfidence, Run, System
from evaluations.selectors.confidence import confidence_counts
from evaluations.services.confidence_claims import confidence_is_open
from evaluations.services.reports import reports_import
from tests.corpus.factories import make_question
from tests.evaluations.banks import FIXTURES, demo_benchmark

PACK = FIXTURES / "reports" / "demo-model"


@pytest.fixture
def benchmark(db) -> Benchmark:
    benchmark = demo_benchmark()
    reports_import(path=PACK, benchmark=benchmark)
    return benchmark


@pytest.fixture
def keys(benchmark) -> list[str]:
    return list(Item.objects.order_by("position", "pk").values_list("question_revision__question__key", flat=True))


def zipped(tmp_path, lines, name="results_demo-model.csv", header="name,estimate"):
    path = tmp_path / "confidence.zip"
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name, "\n".join([header, *lines]) + "\n")
    return path


def run_command(*args):
    out, err = StringIO(), StringIO()
    call_command("import_confidence", *map(str, args), "--benchmark", "demo", "--json", stdout=out, stderr=err)
    return json.loads(out.getvalue())


def stated():
    rows = ItemConfidence.objects.select_related("item__question_revision__question")
    return {row.item.question_revision.question.key: (row.level, row.item.confidence, row.completion) for row in rows}


def test_levels_come_in_beside_the_answers_and_change_none(benchmark, keys, tmp_path) -> None:
    before = list(Item.objects.order_by("pk").values_list("pk", "completion", "outcome", "rule"))
    version = Benchmark.objects.get().results_version
    report = run_command(zipped(tmp_path, [f"{keys[0]},5.0", f"{keys[1]},2", f"{keys[2]},"]))
    assert stated() == {keys[0]: (5, 5, "5.0"), keys[1]: (2, 2, "2"), keys[2]: (None, None, "")}
    assert list(Item.objects.order_by("pk").values_list("pk", "completion", "outcome", "rule")) == before
    assert Benchmark.objects.get().results_version == version + 1
    (file,) = report["files"]
    assert (file["source_name"], file["imported"], file["already_there"]) == ("demo-model", 3, 0)
    assert file["levels"] == {"1": 0, "2": 1, "3": 0, "4": 0, "5": 1}
    assert (file["without_level"], file["refused"], report["failures"]) == (1, [], [])
    run = Run.objects.get()
    counts = confidence_counts(run=run)
    assert (counts.levels[5], counts.n_unread, counts.n_left) == (1, 1, 0)
    assert not confidence_is_open(run=run)
    assert ActionLog.objects.get(code="confidence.imported").detail["n_confidences"] == 3


def test_twice_is_the_same_as_once(benchmark, keys, tmp_path) -> None:
    path = zipped(tmp_path, [f"{keys[0]},5.0", f"{keys[1]},2"])
    run_command(path)
    first = list(ItemConfidence.objects.order_by("pk").values())
    version = Benchmark.objects.get().results_version
    (file,) = run_command(path)["files"]
    assert (file["imported"], file["already_there"]) == (0, 2)
    assert list(ItemConfidence.objects.order_by("pk").values()) == first
    assert Benchmark.objects.get().results_version == version


def test_a_dry_run_says_the_same_and_stores_nothing(benchmark, keys, tmp_path) -> None:
    path = zipped(tmp_path, [f"{keys[0]},5.0", "nobody,2"])
    dry = run_command(path, "--dry-run")
    assert not ItemConfidence.objects.exists()
    assert not ActionLog.objects.filter(code="confidence.imported").exists()
    wet = run_command(path)
    assert (dry.pop("dry_run"), wet.pop("dry_run")) == (True, False)
    assert dry == wet


def test_what_is_no_level_is_refused_by_itself(benchmark, keys, tmp_path) -> None:
    estimates = ["0", "6", "4.5", "-1", "five", "nan", "5.00001", "1e0", "٣"]
    lines = [f"{key},{estimate}" for key, estimate in zip(keys, [*estimates, "1"], strict=False)]
    (file,) = run_command(zipped(tmp_path, lines))["files"]
    for place, (estimate, line) in enumerate(zip(estimates, file["refused"], strict=True)):
        assert (line["line"], line["key"], line["code"]) == (place + 2, keys[place], "no-level")
        assert repr(estimate) in line["message"]
    assert list(stated()) == [keys[len(estimates)]]


def test_every_other_line_that_cannot_be_used_is_named(benchmark, keys, tmp_path) -> None:
    make_question(benchmark, key="later-question")
    lines = [f"{keys[0]},5", f"{keys[0]},5", "unheard-of,3", "later-question,3"]
    (file,) = run_command(zipped(tmp_path, lines))["files"]
    refused = [(line["line"], line["code"]) for line in file["refused"]]
    assert refused == [(3, "twice"), (4, "unknown-key"), (5, "not-asked")]
    (tmp_path / "confidence.zip").unlink()
    (again,) = run_command(zipped(tmp_path, [f"{keys[0]},4"]))["files"]
    assert [line["code"] for line in again["refused"]] == ["stated-otherwise"]
    assert stated() == {keys[0]: (5, 5, "5")}


def test_files_without_system_or_run_are_refused_and_the_others_come_in(benchmark, keys, tmp_path) -> None:
    System.objects.create(slug="idle", name="Idle", source_name="idle", provider="imported")
    zipped(tmp_path, [f"{keys[0]},5"])
    for name in ("results_idle.csv", "results_stranger.csv"):
        zipped(tmp_path, [f"{keys[0]},5"], name=name)
    path = zipped(tmp_path, [f"{keys[0]},5"], name="results_odd.csv", header="key,level")
    out, err = StringIO(), StringIO()
    with pytest.raises(CommandError, match="3 of 4 files were not imported"):
        call_command("import_confidence", str(path), "--benchmark=demo", stdout=out, stderr=err)
    said = err.getvalue()
    assert "There is no system imported as 'stranger'" in said
    assert "Idle has no imported run on demo" in said
    assert "no column name and no column estimate" in said
    assert "demo-model: 1 imported" in out.getvalue()
    assert len(stated()) == 1


def test_of_several_runs_one_has_to_be_named(benchmark, keys, tmp_path) -> None:
    first = Run.objects.get()
    second = Run.objects.create(
        system=first.system, set_revision=first.set_revision, origin="imported", source_name="second", status="finished"
    )
    Item.objects.create(
        run=second, question_revision=first.items.get(question_revision__question__key=keys[0]).question_revision,
        status="answered",
    )  # fmt: skip
    path = zipped(tmp_path, [f"{keys[0]},5"])
    with pytest.raises(CommandError, match="1 of 1 files"):
        run_command(path)
    run_command(path, "--run", "second")
    assert ItemConfidence.objects.get().item.run == second


def test_files_that_cannot_be_read_do_no_harm(benchmark, tmp_path) -> None:
    path = tmp_path / "results_demo-model.csv"
    for content, reason in ((b"\xff\xfe", "not text in UTF-8"), (b"", "no column name")):
        path.write_bytes(content)
        with pytest.raises(CommandError, match="1 of 1 files"):
            run_command(tmp_path)
        assert reason in read_confidence_pack(tmp_path).refused[0].reason
    path.write_bytes(b'name,estimate\n"open,5')
    assert [line["code"] for line in run_command(tmp_path)["files"][0]["refused"]] == ["unknown-key"]
    assert not ItemConfidence.objects.exists()


def test_a_path_that_is_no_pack_is_refused(benchmark, tmp_path) -> None:
    with pytest.raises(UnreadablePackError, match="holds no CSV file"):
        read_confidence_pack(tmp_path)
    with pytest.raises(CommandError, match="neither a folder nor a zip"):
        run_command(tmp_path / "missing.zip")
    with pytest.raises(CommandError, match="There is no benchmark other"):
        call_command("import_confidence", str(tmp_path), "--benchmark=other")


@pytest.mark.parametrize(("text", "level"), [("1", 1), ("5.0", 5), ("3.00", 3), ("", None)])
def test_levels_are_read_as_files_write_them(text, level) -> None:
    assert level_of(text) == level
