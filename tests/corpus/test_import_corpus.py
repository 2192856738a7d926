"""Importing: every file accounted for, nothing copied, changes named for what they are."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from corpus.importers.sources import SourceError
from corpus.models import ActionLog, Benchmark, Finding, Grouping, Molecule, Question, QuestionRevision, QuestionSet
from corpus.selectors.questions import label_names
from corpus.selectors.sets import set_by_slug, set_members
from corpus.services.imports import BenchmarkNaming, SetError, corpus_import
from corpus.services.labels import size_band
from tests.corpus.bank import CANARY, question, write_bank

pytestmark = pytest.mark.django_db

MANAGE = Path(__file__).resolve().parents[2] / "manage.py"
NAMING = BenchmarkNaming(slug="demo", name="Demo", is_demo=True)


def run(source, **options):
    return corpus_import(source=source, naming=NAMING, **options)


def ids():
    return dict(Question.objects.values_list("key", "pk"))


def statuses(report):
    return {file.file: (file.status, file.change) for file in report.files}


def current(key="q-a-q"):
    return Question.objects.get(key=key).current_revision


def reimported(tmp_path, first, second):
    """Import a question and then another version of it; return the two revisions."""
    bank = write_bank(tmp_path / "bank", {"q/a.json": first, "q/b.json": question("other")})
    run(bank)
    before = current()
    write_bank(bank, {"q/a.json": second})
    report = run(bank)
    assert statuses(report)["q/b.json"] == ("unchanged", "")
    return before, current(), report


def test_a_bank_becomes_rows(tmp_path):
    bank = write_bank(
        tmp_path / "bank",
        {
            "gases/a.json": question("x", stem="Is [START_SMILES]CCO[END_SMILES] a gas?"),
            "gases/b.json": question("y", target="-2.5"),
        },
    )
    report = run(bank)
    benchmark = Benchmark.objects.get()
    assert (benchmark.slug, benchmark.name, benchmark.is_demo, benchmark.canary) == ("demo", "Demo", True, CANARY)
    assert dict(report.by_kind) == {"choice": 1, "number": 1}
    assert dict(report.sets) == {"demo": 2}
    choice = current("gases-a-x")
    assert [(option.text, option.credit) for option in choice.options.all()] == [("helium", 1), ("argon", 0)]
    assert (current("gases-b-y").target, choice.question.source.name) == ("-2.5", "gases")
    molecule = Molecule.objects.get()
    assert (molecule.place, molecule.smiles, molecule.heavy_atoms, molecule.rings) == ("stem", "CCO", 3, 0)
    assert ActionLog.objects.get().code == "corpus.imported"


def test_importing_twice_changes_nothing(tmp_path):
    bank = write_bank(tmp_path / "bank", {"q/a.json": question(), "q/b.json": question(target="1")})
    run(bank)
    version = Benchmark.objects.get().results_version
    report = run(bank)
    assert set(statuses(report).values()) == {("unchanged", "")}
    assert (QuestionRevision.objects.count(), report.new_set_revisions, report.labels_changed) == (2, (), False)
    assert Benchmark.objects.get().results_version == version


def test_a_dry_run_stores_nothing(tmp_path):
    bank = write_bank(tmp_path / "bank", {"q/a.json": question()})
    report = run(bank, dry_run=True)
    assert (report.count("accepted"), dict(report.sets)) == (1, {"demo": 1})
    assert not Benchmark.objects.exists()
    assert not ActionLog.objects.exists()


def test_a_refused_file_leaves_the_others(tmp_path):
    bank = write_bank(tmp_path / "bank", {"q/a.json": question(), "q/b.json": '{"name": "b",\n }'})
    report = run(bank)
    assert statuses(report) == {"q/a.json": ("accepted", ""), "q/b.json": ("refused", "")} | {
        "q/a.json": ("accepted", "initial")
    }
    (finding,) = report.findings
    assert (finding.file, finding.code) == ("q/b.json", "json-invalid")
    assert "line 2, column 2" in finding.message
    assert Finding.objects.get().question is None


def test_names_and_uuids_may_repeat(tmp_path):
    shared = {"uuid": "same"}
    files = {
        "x/a.json": question("one name", **shared),
        "x/b.json": question("one name", **shared),
        "y/a.json": question("one name"),
    }
    report = run(write_bank(tmp_path / "bank", files))
    assert Question.objects.count() == 3
    repeated = [found for found in report.findings if found.code == "uuid-duplicate"]
    assert {found.key for found in repeated} == {"x-a-one name", "x-b-one name"}
    assert all("x/a.json and x/b.json" in found.message for found in repeated)


def test_a_key_two_files_share_is_refused_for_the_second(tmp_path):
    report = run(write_bank(tmp_path / "bank", {"uk/2010/a.json": question(), "us/2010/a.json": question(target="1")}))
    assert statuses(report)["us/2010/a.json"] == ("refused", "")
    (finding,) = report.findings
    assert (finding.code, finding.key) == ("key-duplicate", "2010-a-q")
    assert "uk/2010/a.json" in finding.message


COSMETIC = [
    ({"stem": "Which  gas is\nlighter than air?"}, "white space"),
    ({"stem": r"Which gas is lighter than \ce{air}?"}, "markup"),
    ({"options": {"$helium$": 1, "argon": 0}}, "markup of an option"),
    ({"options": {"argon": 0, "helium": 1}}, "order of the options"),
    ({"description": "noble gases"}, "another field"),
]
CONTENT = [
    ({"stem": "Which gas is heavier than air?"}, "stem"),
    ({"options": {"helium": 1, "xenon": 0}}, "an option"),
    ({"options": {"helium": 1, "argon": 0, "xenon": 0}}, "one more option"),
    ({"target": "4"}, "kind"),
    ({"unit": "kJ"}, "unit"),
]
KEY = [
    ({"options": {"helium": 0, "argon": 1}}, "other option right"),
    ({"options": {"helium": 1, "argon": 0.5}}, "credit"),
]


@pytest.mark.parametrize("changes", [changes for changes, _ in COSMETIC], ids=[name for _, name in COSMETIC])
def test_a_cosmetic_change_stays_comparable(tmp_path, changes):
    before, after, report = reimported(tmp_path, question(), question(**changes))
    assert (after.number, after.change, after.root_id) == (2, "cosmetic", before.pk)
    assert statuses(report)["q/a.json"] == ("changed", "cosmetic")


@pytest.mark.parametrize("changes", [changes for changes, _ in CONTENT], ids=[name for _, name in CONTENT])
def test_a_change_of_content_is_not_comparable(tmp_path, changes):
    _, after, _ = reimported(tmp_path, question(), question(**changes))
    assert (after.change, after.root_id) == ("content", after.pk)


@pytest.mark.parametrize("changes", [changes for changes, _ in KEY], ids=[name for _, name in KEY])
def test_a_changed_key_keeps_old_answers_under_the_old_key(tmp_path, changes):
    before, after, report = reimported(tmp_path, question(), question(**changes))
    assert (after.change, after.root_id) == ("key", after.pk)
    reason = next(file.reason for file in report.files if file.file == "q/a.json")
    assert "until they are scored again" in reason
    frozen = QuestionSet.objects.get().revisions.get(number=1)
    assert before in set_members(frozen.pk)
    assert after in set_members(QuestionSet.objects.get().current_revision_id)


@pytest.mark.parametrize(
    ("old", "new", "change"), [("3", "3.00", "cosmetic"), ("3", "4", "key"), ("3", "3.001", "key")]
)
def test_a_number_is_compared_by_value(tmp_path, old, new, change):
    _, after, _ = reimported(tmp_path, question(target=old), question(target=new))
    assert after.change == change


def test_a_tolerance_is_part_of_the_key(tmp_path):
    _, after, _ = reimported(tmp_path, question(target="3"), question(target="3", tolerance="0.1"))
    assert (after.change, after.tolerance) == ("key", "0.1")


def test_going_back_to_an_earlier_content_is_comparable_with_it(tmp_path):
    first, second, _ = reimported(tmp_path, question(), question(stem="Another?"))
    write_bank(tmp_path / "bank", {"q/a.json": question()})
    run(tmp_path / "bank")
    assert (current().number, current().change, current().root_id) == (3, "content", first.pk)
    assert second.root_id == second.pk


def test_reformatted_json_is_no_change(tmp_path):
    before, after, _ = reimported(tmp_path, question(), json.dumps(question(), indent=4))
    assert before == after


def test_sets_are_unions_in_order_and_follow_new_revisions(tmp_path):
    bank = write_bank(tmp_path / "bank", {f"q/{name}.json": question(name) for name in "abc"})
    for name, keys in (("one", "q-c-c\nq-a-a\n"), ("two", "q-b-b\nq-c-c\n")):
        (tmp_path / name).write_text(keys)
    report = run(bank, sets={"demo-tools": [tmp_path / "one"], "demo-both": [tmp_path / "one", tmp_path / "two"]})
    assert dict(report.sets) == {"demo": 3, "demo-both": 3, "demo-tools": 2}
    assert [row.question.key for row in members("demo-both")] == ["q-c-c", "q-a-a", "q-b-b"]
    assert set_by_slug("demo-tools").name == "Demo tools"

    write_bank(bank, {"q/b.json": question("b", stem="New?")})
    report = run(bank / "q" / "b.json")
    assert set(report.new_set_revisions) == {"demo", "demo-both"}
    assert [row.stem for row in members("demo-both")][2] == "New?"
    assert set_by_slug("demo-tools").current_revision.number == 1


def members(slug):
    return set_members(set_by_slug(slug).current_revision_id)


def test_a_key_of_a_set_that_the_bank_does_not_have_is_found(tmp_path):
    bank = write_bank(tmp_path / "bank", {"q/a.json": question()})
    (tmp_path / "set").write_text("q-a-q\nq-z-z\n")
    report = run(bank, sets={"demo-one": [tmp_path / "set"]})
    assert [(found.code, found.key) for found in report.findings] == [("set-member-missing", "q-z-z")]
    assert report.sets["demo-one"] == 1


def test_an_empty_set_or_a_taken_name_stores_nothing(tmp_path):
    bank = write_bank(tmp_path / "bank", {"q/a.json": question()})
    (tmp_path / "set").write_text("q-z-z\n")
    with pytest.raises(SetError, match="would be empty"):
        run(bank, sets={"demo-one": [tmp_path / "set"]})
    with pytest.raises(SetError, match="every question"):
        run(bank, sets={"demo": [tmp_path / "set"]})
    assert not Question.objects.exists()
    (tmp_path / "set").write_text("q-a-q\n")
    run(bank, sets={"demo-one": [tmp_path / "set"]})
    other = BenchmarkNaming(slug="other", name="Other")
    with pytest.raises(SetError, match="another benchmark"):
        corpus_import(source=bank, naming=other, sets={"demo-one": [tmp_path / "set"]})
    assert not Benchmark.objects.filter(slug="other").exists()


def test_three_spellings_are_one_topic(tmp_path):
    bank = write_bank(tmp_path / "bank", {f"q/{name}.json": question(name) for name in "abcd"})
    table = tmp_path / "topics.csv"
    table.write_text(
        "index,topic\nq-a-a,Organic Chemistry\nq-b-b,organic-chemistry\nq-c-c,organic_chemistry \nq-z-z,Physics\n"
    )
    report = run(bank, topics=table)
    benchmark = Benchmark.objects.get()
    labelled = label_names(benchmark.pk, "topic")
    assert list(labelled.values()) == [["Organic Chemistry"]] * 3
    assert sorted((found.code, found.key) for found in report.findings) == [
        ("topic-missing", "q-d-d"),
        ("topic-missing", "q-z-z"),
        ("topic-spelling", ""),
    ]
    assert run(bank, topics=table).labels_changed is False
    table.write_text("index,topic\nq-a-a,Physics\n")
    assert run(bank, topics=table).labels_changed is True
    assert list(label_names(benchmark.pk, "topic").values()) == [["Physics"]]


def test_labels_follow_keywords_folders_and_fields(tmp_path):
    files = {
        "data/uk/2010/a.json": question(
            "a", keywords=["PCR", "requires-knowledge", "requires-reasoning", "difficulty-advanced"], icho={"year": 1}
        ),
        "data/safety/b.json": question("b", keywords=["toxicology", "organic-chemistry"]),
    }
    run(write_bank(tmp_path / "bank", files))
    benchmark = Benchmark.objects.get()
    first, second = Question.objects.order_by("key")
    expected = {
        "topic-by-keyword": (["Physical"], ["Toxicity/Safety"]),
        "skill": (["Knowledge", "Reasoning"], None),
        "difficulty": (["Advanced"], ["Intermediate"]),
        "folder": (["uk/2010"], ["safety"]),
        "origin": (["Chemistry olympiad"], None),
    }
    for grouping, (of_first, of_second) in expected.items():
        names = label_names(benchmark.pk, grouping)
        assert (names.get(first.pk), names.get(second.pk)) == (of_first, of_second), grouping


@pytest.mark.parametrize(
    ("heavy_atoms", "band"),
    [
        (0, "0 to 10 heavy atoms"),
        (10, "0 to 10 heavy atoms"),
        (11, "11 to 20 heavy atoms"),
        (30, "21 to 30 heavy atoms"),
        (40, "31 to 40 heavy atoms"),
        (41, "more than 40 heavy atoms"),
    ],
)
def test_bands_of_molecular_size_leave_no_gap(heavy_atoms, band):
    assert size_band(heavy_atoms) == band


def test_the_largest_molecule_of_stem_and_options_gives_the_molecular_size(tmp_path):
    molecule = "[START_SMILES]{}[END_SMILES]".format
    options = {molecule("C" * 12): 1, molecule("CCO"): 0}
    reaction = "What is formed? [START_RXNSMILES]C.CC>>CCC[END_RXNSMILES]"
    files = {
        "q/a.json": question("a", stem=f"Is {molecule('CC')} larger?", options=options),
        "q/b.json": question("b", stem=reaction),
        "q/c.json": question("c"),
        "q/d.json": question("d", stem=f"What of {molecule('C1CC')}?"),
    }
    bank = write_bank(tmp_path / "bank", files)
    run(bank)
    benchmark = Benchmark.objects.get()
    names = {key: label_names(benchmark.pk, "molecular-size").get(pk) for key, pk in ids().items()}
    assert names == {"q-a-a": ["11 to 20 heavy atoms"], "q-b-b": ["0 to 10 heavy atoms"], "q-c-c": None, "q-d-d": None}
    write_bank(bank, {"q/a.json": question("a", stem="Is it larger?", options={"yes": 1, "no": 0})})
    assert run(bank).labels_changed is True
    assert set(label_names(benchmark.pk, "molecular-size")) == {ids()["q-b-b"]}


def test_importing_again_brings_the_molecular_size_to_an_older_database(tmp_path):
    bank = write_bank(tmp_path / "bank", {"q/a.json": question(stem="Is [START_SMILES]CCO[END_SMILES] a gas?")})
    run(bank)
    Grouping.objects.get(slug="molecular-size").delete()
    version = Benchmark.objects.get().results_version
    report = run(bank)
    assert (statuses(report)["q/a.json"], report.labels_changed) == (("unchanged", ""), True)
    assert list(label_names(Benchmark.objects.get().pk, "molecular-size").values()) == [["0 to 10 heavy atoms"]]
    assert Benchmark.objects.get().results_version > version


def test_a_table_says_what_keywords_leave_open(tmp_path):
    bank = write_bank(tmp_path / "bank", {"q/a.json": question("a", keywords=[]), "q/b.json": question("b")})
    table = tmp_path / "topics.csv"
    table.write_text("index,topic,requires,difficulty\nq-a-a,T,Reasoning,difficulty-basic\nq-b-b,T,Reasoning,\n")
    run(bank, topics=table)
    benchmark = Benchmark.objects.get()
    first, second = Question.objects.order_by("key")
    assert label_names(benchmark.pk, "skill") == {first.pk: ["Reasoning"], second.pk: ["Knowledge"]}
    assert run(bank).labels_changed is False
    assert label_names(benchmark.pk, "difficulty") == {first.pk: ["Basic"], second.pk: ["Intermediate"]}


def test_control_characters_are_kept_and_named(tmp_path):
    report = run(write_bank(tmp_path / "bank", {"q/a.json": question(stem="$\frac{a}{b}$ or $\beta$?")}))
    assert current().stem == "$\x0crac{a}{b}$ or $\x08eta$?"
    assert [found.code for found in report.findings] == ["control-character"] * 2
    assert r"\\frac" in report.findings[0].message


def test_lint_repeats_the_findings_from_the_rows(tmp_path, capsys):
    files = {
        "q/a.json": question("a", stem="[START_SMILES]C(C)(C)(C)(C)C[END_SMILES]", uuid="u"),
        "q/b.json": question("b", options={r"\ce{H2O": 1, "x": 0}, uuid="u"),
        "q/c.json": question("c", options={"x": 0.5, "y": 0}, keywords=["dfficulty-basic"]),
    }
    report = run(write_bank(tmp_path / "bank", files))
    Finding.objects.all().delete()
    call_command("lint_corpus", "--benchmark", "demo", "--json")
    printed = json.loads(capsys.readouterr().out)["findings"]
    assert [(found["file"], found["code"]) for found in printed] == [
        ("q/a.json", "smiles-invalid"),
        ("q/a.json", "uuid-duplicate"),
        ("q/b.json", "braces-unbalanced"),
        ("q/b.json", "uuid-duplicate"),
        ("q/c.json", "keyword-mistyped"),
        ("q/c.json", "no-right-option"),
    ]
    assert [found.message for found in report.findings] == [found["message"] for found in printed]
    assert Finding.objects.count() == len(printed)


def test_a_mended_question_loses_its_findings(tmp_path):
    bank = write_bank(tmp_path / "bank", {"q/a.json": question(stem="[SMILES]"), "q/b.json": "{"})
    run(bank)
    assert set(Finding.objects.values_list("code", flat=True)) == {"markup-tag", "json-invalid"}
    write_bank(bank, {"q/a.json": question(), "q/b.json": question("b")})
    run(bank)
    assert not Finding.objects.exists()


def test_command_prints_one_json_object(tmp_path, capsys):
    bank = write_bank(tmp_path / "bank", {"q/a.json": question(), "q/b.json": "{"})
    (tmp_path / "set").write_text("q-a-q\n")
    call_command(
        "import_corpus", str(bank), "--benchmark", "demo", "--name", "Demo", "--demo",
        "--set", f"demo-tools={tmp_path / 'set'}", "--json",
    )  # fmt: skip
    printed = json.loads(capsys.readouterr().out)
    assert {name: printed[name] for name in ("benchmark", "accepted", "changed", "refused", "by_kind", "sets")} == {
        "benchmark": "demo",
        "accepted": 1,
        "changed": 0,
        "refused": 1,
        "by_kind": {"choice": 1},
        "sets": {"demo": 1, "demo-tools": 1},
    }
    assert [file["file"] for file in printed["files"]] == ["q/a.json", "q/b.json"]
    assert Benchmark.objects.get().is_demo


def test_command_prints_text_for_people(tmp_path, capsys):
    bank = write_bank(tmp_path / "bank", {"q/a.json": question(), "q/b.json": "{"})
    call_command("import_corpus", str(bank), "--benchmark", "demo", "--dry-run")
    printed = capsys.readouterr().out
    assert "1 new, 0 unchanged, 0 changed, 1 refused (dry run: nothing was stored)" in printed
    assert "refused: q/b.json: Not valid JSON at line 1, column 2" in printed


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.zip"], "no file or folder"),
        ([".", "--set", "x"], "NAME=FILE"),
        ([".", "--set", "a b=x"], "no slug"),
        ([".", "--benchmark", "a b"], "no slug"),
        ([".", "--benchmark", "a" * 51], "longer than 50"),
        ([".", "--set", "a=x", "--set", "a=y"], "given twice"),
        ([".", "--topics", "missing.csv"], "missing.csv cannot be read"),
    ],
)
def test_bad_arguments_are_said(tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(write_bank(tmp_path / "bank", {"q/a.json": question()}))
    with pytest.raises(CommandError, match=words):
        call_command("import_corpus", *arguments)
    assert not Benchmark.objects.exists()


def test_nothing_but_refused_files_is_a_failure(tmp_path, capsys):
    bank = write_bank(tmp_path / "bank", {"q/b.json": "{"})
    with pytest.raises(CommandError, match="Every file was refused"):
        call_command("import_corpus", str(bank), "--json")
    assert json.loads(capsys.readouterr().out)["refused"] == 1


def test_a_source_that_is_missing_stores_nothing(tmp_path):
    with pytest.raises(SourceError):
        run(tmp_path / "none")
    assert not Benchmark.objects.exists()


def test_importing_before_the_tables_are_there_says_what_to_do(tmp_path):
    bank = write_bank(tmp_path / "bank", {"q/a.json": question("x")})
    environment = {**os.environ, "DATABASE_URL": f"sqlite:///{tmp_path / 'new.sqlite3'}", "SECRET_KEY": "for-this-test"}
    command = [sys.executable, str(MANAGE), "import_corpus", str(bank)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Run `manage.py migrate` first" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["lint_corpus", "check_answer_keys", "export_corpus"])
def test_an_unknown_benchmark_is_answered_with_those_there_are(command: str, tmp_path: Path) -> None:
    Benchmark.objects.create(slug="mine", name="Mine")
    rest = [str(tmp_path / "out")] if command == "export_corpus" else []
    with pytest.raises(CommandError, match="There is no benchmark other. There are: mine."):
        call_command(command, *rest, "--benchmark", "other")


def test_lint_says_in_words_that_nothing_was_found(capsys: pytest.CaptureFixture[str]) -> None:
    Benchmark.objects.create(slug="mine", name="Mine")
    call_command("lint_corpus", "--benchmark", "mine")
    assert capsys.readouterr().out.strip() == "Nothing was found in the questions."
