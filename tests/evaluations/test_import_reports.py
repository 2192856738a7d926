"""Packs of public reports come in whole, once, and are judged by the same code as everyone else."""

import json
import shutil
import zipfile
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from corpus.models import ActionLog, Benchmark
from corpus.scoring.plain import plain_text
from evaluations.errors import RunStateError
from evaluations.importers.chembench_reports import UnreadablePackError
from evaluations.models import Item, ItemReading, ItemScore, Run, System
from evaluations.selectors import board_items, outcome_counts
from evaluations.services.reports import reports_import, system_fields, system_slug
from evaluations.services.runs import run_resume
from tests.corpus.factories import make_benchmark
from tests.evaluations.banks import FIXTURES, demo_benchmark, make_keyed_set

PACK = FIXTURES / "reports" / "demo-model"
EXPECTED = json.loads((PACK / "expected.json").read_text("utf-8"))
RUN_FOLDER = PACK / "reports" / EXPECTED["run"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def benchmark():
    return demo_benchmark()


@pytest.fixture
def pack(tmp_path):
    """A copy of the demo pack that a test may change."""
    folder = tmp_path / "demo-model"
    shutil.copytree(PACK, folder)
    return folder


def report_file(pack, key):
    return pack / "reports" / EXPECTED["run"] / f"{key}.json"


def change(pack, key, **fields):
    path = report_file(pack, key)
    (entry,) = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps([{**entry, **fields}]), "utf-8")


def run_command(*args):
    out = StringIO()
    call_command("import_reports", *[str(arg) for arg in args], "--benchmark", "demo", "--json", stdout=out)
    return json.loads(out.getvalue())


def outcomes(rule):
    scores = ItemScore.objects.filter(rule=rule).select_related("answer__question_revision__question")
    return {score.answer.question_revision.question.key: score.outcome for score in scores}


@pytest.mark.parametrize("rule", ["as-published", "standard"])
def test_every_verdict_is_the_one_worked_out_by_hand(benchmark, rule):
    reports_import(path=PACK, benchmark=benchmark)
    expected = {key: verdicts[rule]["outcome"] for key, verdicts in EXPECTED["questions"].items()}
    assert outcomes(f"{rule}@1") == expected


def test_system_and_run_are_known_by_their_folders_names(benchmark):
    reports_import(path=PACK, benchmark=benchmark)
    system = System.objects.get()
    assert (system.slug, system.source_name, system.provider) == ("demo-model", "demo-model", "imported")
    assert (system.name, system.kind, system.is_demo) == ("Demo model (invented)", "model", True)
    assert (str(system.released_on), system.parameter_count, system.open_weights) == ("2026-01-15", 10**9, True)
    assert system.facts["model_description"].startswith("No such model exists.")
    assert "mixture_of_experts" in system.facts
    run = Run.objects.get()
    assert (run.origin, run.source_name, run.parameters) == ("imported", EXPECTED["run"], {"temperature": 0.0})
    assert run.set_revision == benchmark.question_sets.get(slug="demo").current_revision


def test_a_pack_named_as_the_people_does_not_take_their_slug(benchmark, pack):
    reports_import(path=pack.rename(pack.with_name("human-experts")), benchmark=benchmark)
    assert System.objects.get().slug == "human-experts-published"


def test_raw_texts_are_kept_and_the_current_verdict_is_by_the_default_rule(benchmark):
    reports_import(path=PACK, benchmark=benchmark)
    key = "processes-sulfuric_acid_1-sulfuric_acid_1"
    (entry,) = json.loads((RUN_FOLDER / f"{key}.json").read_text("utf-8"))
    item = Item.objects.get(question_revision__question__key=key)
    assert (item.prompt, item.completion) == (entry["prompt"], entry["output"]["text"])
    assert item.source_flags["metrics"] == entry["metrics"]
    assert item.source_flags["parsed_output"] == entry["parsed_output"]
    assert (item.outcome, item.rule, item.credit) == ("right", "standard@1", 1)
    assert {reading.reader for reading in item.readings.all()} == {"as-published@1", "standard@1"}


def test_letters_mean_the_options_of_the_prompt_that_was_sent(benchmark):
    reports_import(path=PACK, benchmark=benchmark)
    item = Item.objects.get(question_revision__question__key="spectra-carbon_lines_1-carbon_lines_1")
    options = list(item.question_revision.options.all())
    key_of = {plain_text(option.text): option.option_key for option in options}
    shown = [key for _, key, _ in item.options_shown]
    assert shown == [key_of[plain_text(text)] for _, _, text in item.options_shown]
    assert shown != [option.option_key for option in options]
    reading = item.readings.get(reader="as-published@1")
    assert reading.option_keys == [item.options_shown[3][1]]


def test_scores_and_metrics_of_the_reports_are_never_used(benchmark, pack):
    for path in (pack / "reports" / EXPECTED["run"]).glob("*.json"):
        (entry,) = json.loads(path.read_text("utf-8"))
        lies = {"score": {"hamming": 0.0, "mae": 0.0}, "metrics": {"hamming": 0.0, "mae": 0.0}}
        path.write_text(json.dumps([{**entry, **lies}]), "utf-8")
    report = run_command(pack)
    assert report["entrants"][0]["rules"].keys() == EXPECTED["rules"].keys()
    for rule, counts in EXPECTED["rules"].items():
        assert report["entrants"][0]["rules"][rule] == counts
    assert Item.objects.filter(source_flags__metrics__mae=0.0).count() == EXPECTED["n_questions"]


def test_importing_twice_changes_nothing(benchmark):
    first = run_command(PACK)
    before = [list(model.objects.order_by("pk").values()) for model in (System, Run, Item, ItemReading, ItemScore)]
    version = Benchmark.objects.get().results_version
    second = run_command(PACK)
    after = [list(model.objects.order_by("pk").values()) for model in (System, Run, Item, ItemReading, ItemScore)]
    assert after == before
    assert Benchmark.objects.get().results_version == version == 1
    assert [run["is_new"] for run in (first["packs"][0]["runs"][0], second["packs"][0]["runs"][0])] == [True, False]
    assert second["entrants"] == first["entrants"]
    assert ActionLog.objects.filter(code="reports.imported").count() == 1


def test_a_zip_named_reports_model_is_the_same_pack(benchmark, tmp_path):
    path = tmp_path / "reports-demo-model.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for file in PACK.rglob("*"):
            archive.write(file, file.relative_to(PACK))
    run_command(path)
    second = run_command(PACK)
    assert System.objects.get().source_name == "demo-model"
    assert second["packs"][0]["runs"][0]["is_new"] is False


def test_missing_unknown_and_unreadable_reports_are_named(benchmark, pack):
    report_file(pack, "kinetics-half_life_1-half_life_1").unlink()
    change(pack, "shapes-symmetry_1-symmetry_1", name="no-such-question")
    report_file(pack, "bonding-dipoles_1-dipoles_1").write_text("[{", "utf-8")
    (imported,) = run_command(pack)["packs"]
    (run,) = imported["runs"]
    assert run["unknown"] == ["no-such-question"]
    assert "kinetics-half_life_1-half_life_1" in run["missing"]
    assert run["n_items"] == EXPECTED["n_questions"] - 3
    assert run["status"] == "incomplete"
    assert [refused["file"].rpartition("/")[2] for refused in imported["refused"]] == [
        "bonding-dipoles_1-dipoles_1.json"
    ]


def test_bare_nan_is_accepted_and_kept_as_a_word(benchmark, pack):
    key = "gases-molar_volume_1-molar_volume_1"
    change(pack, key, metrics={"mae": float("nan"), "mse": float("-inf")}, parsed_output=float("nan"))
    reports_import(path=pack, benchmark=benchmark)
    item = Item.objects.get(question_revision__question__key=key)
    assert item.source_flags["metrics"] == {"mae": "nan", "mse": "-inf"}
    assert item.scores.get(rule="as-published@1").outcome == "unparsed"
    assert item.outcome == "right"


def test_a_number_keeps_all_its_digits_however_long_it_runs(benchmark, pack):
    key = "gases-molar_volume_1-molar_volume_1"
    digits = "49.6" + "0123456789" * 30
    change(pack, key, output={"text": f"[ANSWER]{digits}[/ANSWER]"})
    reports_import(path=pack, benchmark=benchmark)
    item = Item.objects.get(question_revision__question__key=key)
    assert item.readings.get(reader="standard@1").number == digits
    assert item.outcome == "right"


def test_text_that_no_database_keeps_is_made_storable(benchmark, pack):
    key = "gases-molar_volume_1-molar_volume_1"
    change(pack, key, output={"text": "a\0b \ud83d [ANSWER]49.58[/ANSWER]"})
    reports_import(path=pack, benchmark=benchmark)
    item = Item.objects.get(question_revision__question__key=key)
    assert item.completion == "a\N{REPLACEMENT CHARACTER}b ? [ANSWER]49.58[/ANSWER]"
    assert item.outcome == "right"


def misspelt(entry, wrong):
    """Return the fields of a report as it looked before one option's text was corrected."""
    right = next(iter(entry["targets_"]))
    targets = {wrong if text == right else text: credit for text, credit in entry["targets_"].items()}
    return {"prompt": entry["prompt"].replace(right, wrong), "targets_": targets}


def test_a_corrected_option_text_is_matched_and_noted(benchmark, pack):
    key = "labels-statement_1-statement_1"
    (entry,) = json.loads(report_file(pack, key).read_text("utf-8"))
    right = next(iter(entry["targets_"]))
    change(pack, key, **misspelt(entry, right[:-1] + right[-1] * 2))
    (run,) = run_command(pack)["packs"][0]["runs"]
    assert [(note["key"], note["code"]) for note in run["notes"]] == [(key, "option-text-changed")]
    assert outcomes("as-published@1")[key] == EXPECTED["questions"][key]["as-published"]["outcome"]


def test_a_report_whose_options_cannot_be_settled_is_kept_and_not_judged(benchmark, pack):
    key = "labels-statement_1-statement_1"
    change(pack, key, targets_={"something else": 1, "another thing": 0})
    (run,) = run_command(pack)["packs"][0]["runs"]
    assert [(note["key"], note["code"]) for note in run["notes"]] == [(key, "options-unmatched")]
    item = Item.objects.get(question_revision__question__key=key)
    assert (item.status, item.outcome, item.error_code) == ("failed", "error", "options-unmatched")
    assert item.completion
    assert not item.scores.exists()


def test_imported_results_are_never_asked_again(benchmark):
    (imported,) = reports_import(path=PACK, benchmark=benchmark).runs
    assert imported.run.status == "incomplete"
    with pytest.raises(RunStateError, match="were imported"):
        run_resume(run_id=imported.run.pk)
    assert Run.objects.get().status == "incomplete"
    assert not Item.objects.filter(status="waiting").exists()


def test_a_report_with_another_key_is_judged_by_ours_and_noted(benchmark, pack):
    key = "gases-molar_volume_1-molar_volume_1"
    change(pack, key, targets_="12")
    (run,) = run_command(pack)["packs"][0]["runs"]
    assert [(note["key"], note["code"]) for note in run["notes"]] == [(key, "key-differs")]
    assert outcomes("as-published@1")[key] == "right"


def test_counts_for_a_set_are_of_that_set_alone(benchmark):
    keys = ["flow-pipe_flow_1-pipe_flow_1", "bonding-dipoles_1-dipoles_1", "kinetics-half_life_1-half_life_1"]
    make_keyed_set(benchmark, "three", keys)
    (entrant,) = run_command(PACK, "--set", "three")["entrants"]
    assert entrant["n_questions"] == 3
    assert {name: n for name, n in entrant["rules"]["standard"].items() if n} == {"right": 2, "wrong": 1}
    assert {name: n for name, n in entrant["rules"]["as-published"].items() if n} == {"right": 1, "wrong": 2}


def test_an_imported_system_never_takes_the_slug_of_one_that_is_asked(benchmark):
    asked = System.objects.create(slug="demo-model", name="Asked here", provider="openai_chat")
    reports_import(path=PACK, benchmark=benchmark)
    reports_import(path=PACK, benchmark=benchmark)
    assert asked.runs.count() == 0
    assert System.objects.exclude(pk=asked.pk).get().slug == "demo-model-published"


def test_what_cannot_be_imported_says_why_and_leaves_nothing(benchmark, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken.zip").write_bytes(b"no zip")
    for path in (tmp_path / "empty", tmp_path / "broken.zip", tmp_path / "absent"):
        with pytest.raises(UnreadablePackError):
            reports_import(path=path, benchmark=benchmark)
    with pytest.raises(CommandError, match="1 of 2 packs"):
        run_command(tmp_path / "empty", PACK)
    assert Run.objects.count() == 1


def test_a_file_that_cannot_be_unpacked_or_nests_without_end_is_refused_alone(benchmark, pack, tmp_path):
    (pack / "reports" / EXPECTED["run"] / "deep.json").write_text("[" * 100_000, "utf-8")
    (pack / "reports" / EXPECTED["run"] / "deeper.json").write_text(_nested_report(900), "utf-8")
    (pack / "other.yaml").write_text("[" * 5_000, "utf-8")
    archive = tmp_path / "demo-model.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted(pack.rglob("*")):
            packed.write(file, f"demo-model/{file.relative_to(pack)}")
        packed.writestr(f"demo-model/reports/{EXPECTED['run']}/bad.json", "canary " * 500)
    content = archive.read_bytes()
    with zipfile.ZipFile(archive) as packed:
        entry = packed.getinfo(f"demo-model/reports/{EXPECTED['run']}/bad.json")
    start = entry.header_offset + 30 + len(entry.filename)
    broken = b"\xff" * entry.compress_size
    archive.write_bytes(content[:start] + broken + content[start + entry.compress_size :])
    imported = reports_import(path=archive, benchmark=benchmark)
    reasons = {file.file.rpartition("/")[2]: file.reason for file in imported.refused}
    assert reasons.keys() == {"bad.json", "deep.json", "deeper.json", "other.yaml"}
    assert "damaged" in reasons["bad.json"]
    assert "deep" in reasons["deep.json"]
    assert imported.runs[0].n_items == EXPECTED["n_questions"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 8)), "alias"),
        ("a: &a [*a]\n", "alias"),
        ("a: " + "x" * 200_000, "larger"),
    ],
)
def test_facts_that_would_grow_without_end_are_refused_alone(benchmark, pack, content, reason):
    (pack / "more.yaml").write_text(content, "utf-8")
    imported = reports_import(path=pack, benchmark=benchmark)
    (refused,) = imported.refused
    assert refused.file == "more.yaml"
    assert reason in refused.reason
    assert imported.system.name == "Demo model (invented)"


def _nested_report(depth):
    (entry,) = json.loads(next(iter(RUN_FOLDER.glob("*.json"))).read_text("utf-8"))
    text = json.dumps([{**entry, "name": "deeper", "extra": "HERE"}])
    return text.replace('"HERE"', "[" * depth + "]" * depth)


def test_a_pack_of_nothing_but_such_files_is_no_pack(benchmark, tmp_path):
    folder = tmp_path / "m" / "reports" / "run"
    folder.mkdir(parents=True)
    (folder / "q.json").write_text("[" * 100_000, "utf-8")
    with pytest.raises(UnreadablePackError, match="q.json"):
        reports_import(path=tmp_path / "m", benchmark=benchmark)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="only PostgreSQL keeps figures of its tables")
def test_postgresql_knows_how_many_rows_there_are_after_an_import(benchmark):
    reports_import(path=PACK, benchmark=benchmark)
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = %s", [Item._meta.db_table])
        assert cursor.fetchone()[0] == EXPECTED["n_questions"]


def test_the_command_names_what_is_missing():
    with pytest.raises(CommandError, match="no benchmark demo"):
        run_command(PACK)
    make_benchmark(slug="demo")
    with pytest.raises(CommandError, match="Import its questions first"):
        run_command(PACK)


def test_a_failure_half_way_leaves_nothing_behind(benchmark, monkeypatch):
    def fail(**_):
        raise RuntimeError("the disk is full")

    monkeypatch.setattr("evaluations.services.reports.store_verdicts_in_bulk", fail)
    with pytest.raises(RuntimeError, match="disk"):
        reports_import(path=PACK, benchmark=benchmark)
    assert not System.objects.exists()
    assert not Item.objects.exists()


@pytest.mark.parametrize(
    ("source_name", "facts", "expected"),
    [
        ("gpt-4o-react", {"tool_use": True, "model_name": "GPT-4o React"}, ("agent", "GPT-4o React", None, None)),
        ("random_baseline", {}, ("baseline", "random_baseline", None, None)),
        ("m", {"date_published": "2024-06-20", "nr_of_parameters": "8e9"}, ("model", "m", "2024-06-20", 8 * 10**9)),
        ("m", {"date_published": "June", "nr_of_parameters": "many"}, ("model", "m", None, None)),
        ("m", {"nr_of_parameters": "1e300000"}, ("model", "m", None, None)),
        ("m", {"nr_of_parameters": "1e999999999"}, ("model", "m", None, None)),
        ("m", {"nr_of_parameters": 2**63}, ("model", "m", None, None)),
        ("m", {"nr_of_parameters": 2**63 - 1}, ("model", "m", None, 2**63 - 1)),
        ("m", {"nr_of_parameters": -1}, ("model", "m", None, None)),
        ("m", {"nr_of_parameters": "nan"}, ("model", "m", None, None)),
    ],
)
def test_facts_of_a_system(source_name, facts, expected):
    fields = system_fields(source_name=source_name, facts=facts)
    released = fields["released_on"] and str(fields["released_on"])
    assert (fields["kind"], fields["name"], released, fields["parameter_count"]) == expected


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("claude3.5", "claude3-5"),
        ("galactica_120b", "galactica_120b"),
        ("llama3.1-8b-instruct", "llama3-1-8b-instruct"),
    ],
)
def test_slug_of_a_folder_name(name, slug):
    assert system_slug(name) == slug


def test_the_board_counts_what_the_file_says(benchmark):
    imported = reports_import(path=PACK, benchmark=benchmark)
    root_ids = [question.current_revision.root_id for question in benchmark.questions.all()]
    board = board_items(root_ids=root_ids, rule="as-published")
    assert outcome_counts(board=board, system_id=imported.system.pk) == EXPECTED["rules"]["as-published"]
    assert [run.is_complete for run in board.runs] == [False]
