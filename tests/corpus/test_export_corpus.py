"""Export rebuilds what was imported, from the rows alone."""

import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from corpus.models import Benchmark, QuestionRevision
from corpus.selectors.exports import set_keys, topic_rows
from corpus.services.imports import BenchmarkNaming, corpus_import
from tests.corpus.bank import question, write_bank

pytestmark = pytest.mark.django_db

FILES = {
    "q/plain.json": question("plain"),
    "q/number.json": question("number", target=" 4.15E-21 ", tolerance="0.05", unit="J"),
    "q/real_number.json": question("real", target=0.5, relative_tolerance=0.02),
    "q/floats.json": question("floats", options={" spaced ": 1.0, "half": 0.5, "none": 0}),
    "q/no order.json": question("order", options={"z": 0, "a": 1, "m": 0}),
    "q/control.json": question("control", stem="$\frac{1}{2}$"),
    "q/bare.json": {"name": "bare", "examples": [{"input": "?", "target": 7}]},
    "q/nulls.json": {**question("nulls"), "description": None, "relative_tolerance": None, "meta": {"urls": [1, None]}},
    "q/extra.json": {**question("extra"), "examples": [{"input": "?", "target": "1", "note": {"of": "the example"}}]},
}


def run(source, slug="demo", **options):
    return corpus_import(source=source, naming=BenchmarkNaming(slug=slug), **options)


def files_of(root):
    return {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*") if path.is_file()}


def test_export_equals_the_original_without_it(tmp_path):
    run(write_bank(tmp_path / "bank", FILES))
    QuestionRevision.objects.update(original="")
    call_command("export_corpus", str(tmp_path / "out"), "--benchmark", "demo")
    exported = {path: json.loads(text) for path, text in files_of(tmp_path / "out").items() if path.endswith(".json")}
    assert exported == json.loads(json.dumps(FILES))
    types = [type(credit) for credit in exported["q/floats.json"]["examples"][0]["target_scores"].values()]
    assert types == [float, float, int]
    assert list(exported["q/no order.json"]["examples"][0]["target_scores"]) == ["z", "a", "m"]


@pytest.mark.parametrize("target", ["out", "out.zip"])
def test_export_and_import_give_the_same_bank(tmp_path, target):
    bank = write_bank(tmp_path / "bank", FILES)
    (tmp_path / "set").write_text("q-plain-plain\nq-bare-bare\n")
    (tmp_path / "topics.csv").write_text("index,topic\nq-plain-plain,Organic Chemistry\n")
    run(bank, sets={"first-set": [tmp_path / "set"]}, topics=tmp_path / "topics.csv")
    call_command("export_corpus", str(tmp_path / target), "--benchmark", "demo")

    run(tmp_path / target, slug="again")
    first, again = Benchmark.objects.get(slug="demo"), Benchmark.objects.get(slug="again")
    assert said(first) == said(again)
    assert first.canary == again.canary
    assert set_keys(first.pk)["first-set"] == ["q-plain-plain", "q-bare-bare"]
    assert topic_rows(first.pk) == [("q-plain-plain", "Organic Chemistry")]


def said(benchmark):
    revisions = QuestionRevision.objects.filter(question__benchmark=benchmark).order_by("question__key")
    return [
        (
            row.question.key, row.content_hash, row.keywords, row.tolerance, row.unit, row.uuid,
            [(option.option_key, option.credit) for option in row.options.all()],
        )
        for row in revisions
    ]  # fmt: skip


def test_export_brings_topics_and_sets(tmp_path, capsys):
    bank = write_bank(tmp_path / "bank", {"q/a.json": question("a"), "q/b.json": question("b")})
    (tmp_path / "set").write_text("q-b-b\nq-a-a\n")
    (tmp_path / "topics.csv").write_text("index,topic\nq-b-b,Toxicity/Safety\n")
    run(bank, sets={"demo-x": [tmp_path / "set"]}, topics=tmp_path / "topics.csv")
    call_command("export_corpus", str(tmp_path / "out"), "--benchmark", "demo", "--json")
    written = files_of(tmp_path / "out")
    assert written["topics.csv"] == "index,topic\nq-b-b,Toxicity/Safety\n"
    assert (written["sets/demo-x.txt"], written["sets/demo.txt"]) == ("q-b-b\nq-a-a\n", "q-a-a\nq-b-b\n")
    assert json.loads(capsys.readouterr().out)["questions"] == 2


def test_two_questions_of_one_path_are_both_exported(tmp_path):
    bank = write_bank(tmp_path / "bank", {"q/a.json": question("old")})
    run(bank)
    write_bank(bank, {"q/a.json": question("new")})
    run(bank)
    call_command("export_corpus", str(tmp_path / "out"), "--benchmark", "demo")
    names = {json.loads(text)["name"] for path, text in files_of(tmp_path / "out").items() if path.endswith(".json")}
    assert names == {"old", "new"}


def test_export_never_overwrites(tmp_path):
    run(write_bank(tmp_path / "bank", {"q/a.json": question()}))
    with pytest.raises(CommandError, match="exists already"):
        call_command("export_corpus", str(tmp_path / "bank"), "--benchmark", "demo")
    with pytest.raises(CommandError, match="no benchmark other"):
        call_command("export_corpus", str(tmp_path / "out"), "--benchmark", "other")
