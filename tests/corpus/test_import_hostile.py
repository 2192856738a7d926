"""Importing files made to break it: each is refused with its reason, and the others go in."""

import json
import os
import re
import zipfile

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from corpus.importers.sources import SourceError
from corpus.models import Benchmark, Finding, Question, QuestionRevision
from corpus.services.imports import BenchmarkNaming, corpus_import
from tests.corpus.bank import question, write_bank

pytestmark = pytest.mark.django_db

NAMING = BenchmarkNaming(slug="demo", name="Demo")
GOOD = json.dumps(question("good"))
BAD = json.dumps(question("bad"))


def run(source, **options):
    return corpus_import(source=source, naming=NAMING, **options)


def only_refusal(report):
    """Return the one refused file of a report whose other file is the good one, which is stored."""
    refused = [file for file in report.files if file.status == "refused"]
    assert [question.key for question in Question.objects.all()] == ["q-good-good"]
    assert QuestionRevision.objects.get().original == GOOD
    (finding,) = Finding.objects.filter(question=None)
    (file,) = refused
    assert (finding.file, finding.message) == (file.file, file.reason)
    return file


def raw_question(field: str) -> str:
    """Return a question with `field`, JSON as it stands, among its fields."""
    return f"{{{field}, {json.dumps(question('bad'))[1:]}"


def raw_scores(scores: str) -> str:
    return f'{{"name": "bad", "examples": [{{"input": "Which?", "target_scores": {scores}}}]}}'


REFUSED_TEXTS = {
    "number beyond a float": (raw_question('"weight": 1e400'), r"1e400 is too large"),
    "negative number beyond a float": (raw_question('"weight": {"of": [-1e400]}'), r"-1e400 is too large"),
    "number that would become zero": (raw_question('"weight": 1e-400'), r"1e-400 is too close to zero"),
    "Infinity": (raw_question('"weight": Infinity'), r"Infinity is not a JSON value"),
    "minus Infinity": (raw_question('"weight": -Infinity'), r"-Infinity is not a JSON value"),
    "NaN": (raw_question('"weight": [NaN]'), r"NaN is not a JSON value"),
    "endless integer": (raw_question('"weight": ' + "9" * 5000), r"more digits"),
    "unclosed brackets": ("[" * 100_000, r"nested deeper"),
    "objects in objects": ('{"a":' * 100_000 + "1" + "}" * 100_000, r"nested deeper"),
    "deep metadata": (raw_question('"meta": ' + "[" * 500 + "]" * 500), r"nested deeper"),
    "nearly too deep for the parser": (raw_question('"meta": ' + "[" * 900 + "]" * 900), r"nested deeper"),
    "surrogate in metadata": (raw_question(r'"meta": "\ud800"'), r"U\+D800"),
    "surrogate in a field name": (raw_question(r'"\udfff": 1'), r"U\+DFFF"),
    "surrogate in an option": (raw_scores(r'{"\ud83d": 1, "b": 0}'), r"U\+D83D"),
    "surrogate in a repeated field": (raw_question(r'"\ud800": 1, "\ud800": 2'), r'"\\ud800" is given twice'),
    "NUL in a repeated field": (raw_question(r'"\u0000": 1, "\u0000": 2'), r'"\\u0000" is given twice'),
    "NaN as a credit": (raw_scores('{"a": NaN, "b": 0}'), r"NaN is not a JSON value"),
    "endless credit": (raw_scores('{"a": 1e400, "b": 0}'), r"1e400 is too large"),
    "credit above one": (raw_scores('{"a": 1.5, "b": 0}'), r"from 0 to 1"),
    "negative credit": (raw_scores('{"a": 1, "b": -0.5}'), r"from 0 to 1"),
    "NaN as a text": (raw_scores('{"a": "NaN", "b": 1}'), r"from 0 to 1"),
    "name of 301 characters": (json.dumps(question("n" * 301)), r"longer than 300 characters"),
    "key of 301 characters": (json.dumps(question("n" * 295)), r"key is longer than 300 characters"),
}


@pytest.mark.parametrize(("text", "words"), REFUSED_TEXTS.values(), ids=REFUSED_TEXTS)
def test_a_text_that_cannot_be_stored_is_refused_alone(tmp_path, text, words):
    report = run(write_bank(tmp_path / "bank", {"q/bad.json": text, "q/good.json": GOOD}))
    refused = only_refusal(report)
    assert refused.file == "q/bad.json"
    assert re.search(words, refused.reason), refused.reason
    assert len(refused.reason) < 300


@pytest.mark.parametrize("value", ["-0.0", "0e5", "4.9e-324", "9" * 400, "[" * 50 + "]" * 50, r'"\ud83d\ude00"'])
def test_unusual_values_that_can_be_stored_are(tmp_path, value):
    report = run(write_bank(tmp_path / "bank", {"q/a.json": raw_question(f'"meta": {value}')}))
    assert report.count("accepted") == 1
    assert QuestionRevision.objects.get().metadata["meta"] == json.loads(value)
    assert run(tmp_path / "bank").count("unchanged") == 1


def test_the_largest_number_goes_in(tmp_path):
    run(write_bank(tmp_path / "bank", {"q/a.json": raw_question('"meta": 1.7e308')}))
    assert float(QuestionRevision.objects.get().metadata["meta"]) == 1.7e308
    assert run(tmp_path / "bank").count("unchanged") == 1


def test_the_longest_key_goes_in(tmp_path):
    assert run(write_bank(tmp_path / "bank", {"q/a.json": question("n" * 296, uuid="")})).count("accepted") == 1
    assert len(Question.objects.get().key) == 300


def zipped(path, members, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as opened:
        for name, content in members.items():
            opened.writestr(name, content)
    return path


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_with_damaged_data_is_refused_alone(tmp_path, compression):
    bank = zipped(tmp_path / "bank.zip", {"q/bad.json": GOOD * 5, "q/good.json": GOOD}, compression)
    with zipfile.ZipFile(bank) as opened:
        member = opened.getinfo("q/bad.json")
    content = bytearray(bank.read_bytes())
    start = member.header_offset + 30 + len("q/bad.json")
    content[start : start + member.compress_size] = b"\xff" * member.compress_size
    bank.write_bytes(content)
    refused = only_refusal(run(bank))
    assert refused.file == "q/bad.json"
    assert refused.reason.startswith("The file cannot be read from the zip: ")


@pytest.mark.parametrize("name", ["q/bäd.json", "qä/bad.json", "bank/bäd.json"])
def test_a_member_whose_name_is_not_the_utf8_it_claims_is_refused_alone(tmp_path, name):
    bank = zipped(tmp_path / "bank.zip", {name.removeprefix("bank/"): BAD, "q/good.json": GOOD, "ä.txt": "x"})
    bank.write_bytes(bank.read_bytes().replace("ä".encode(), b"\xff\xfe"))
    refused = only_refusal(run(bank))
    assert refused.file == name.replace("ä", r"\xff\xfe")
    assert "name is not UTF-8" in refused.reason


def test_a_local_header_whose_name_is_not_utf8_is_refused_alone(tmp_path):
    bank = zipped(tmp_path / "bank.zip", {"q/bäd.json": json.dumps(question("bad")), "q/good.json": GOOD})
    bank.write_bytes(bank.read_bytes().replace("ä".encode(), b"\xff\xfe", 1))
    assert only_refusal(run(bank)).file == "q/bäd.json"


@pytest.mark.parametrize("name", [b"\0/aa.json", b"\0\xff/a.json"])
def test_a_member_without_a_name_is_passed_over(tmp_path, name):
    bank = zipped(tmp_path / "bank.zip", {"qä/a.json": BAD, "q/good.json": GOOD})
    bank.write_bytes(bank.read_bytes().replace("qä/a.json".encode(), name + b"n"[: 10 - len(name)]))
    assert [file.file for file in run(bank).files] == ["q/good.json"]


def test_a_zip_of_an_unknown_version_is_said(tmp_path):
    bank = zipped(tmp_path / "bank.zip", {"q/good.json": GOOD})
    content = bytearray(bank.read_bytes())
    content[content.index(b"PK\1\2") + 6] = 99
    bank.write_bytes(content)
    with pytest.raises(SourceError, match="cannot be read: zip file version 9.9"):
        run(bank)


@pytest.mark.parametrize("name", [b"q/b\xff.json", b"q\xff/bad.json"])
def test_a_file_name_that_is_not_utf8_is_refused_alone(tmp_path, name, capsys):
    write_bank(tmp_path / "bank", {"q/good.json": GOOD})
    place = os.path.join(os.fsencode(tmp_path / "bank"), name)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "w") as opened:
        opened.write(json.dumps(question("bad")))
    refused = only_refusal(run(tmp_path / "bank"))
    assert refused.file == name.decode("utf-8", "backslashreplace")
    assert "name is not UTF-8" in refused.reason
    call_command("import_corpus", str(tmp_path / "bank"), "--benchmark", "demo")
    assert f"refused: {refused.file}: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("index,topic\nq-good-good,T\0\n", r"line 2: a NUL character"),
        ("index,topic\nq-other-\0,T\n", r"line 2: a NUL character"),
        ("index,topic\nq-good-good," + "T" * 131_073 + "\n", r"line 2: field larger than field limit"),
        ("index," + "T" * 131_073 + ",topic\n", r"line 1: field larger than field limit"),
    ],
    ids=["NUL in a topic", "NUL in a key", "long cell", "long heading"],
)
def test_a_topics_table_that_cannot_be_stored_is_said(tmp_path, table, words):
    bank = write_bank(tmp_path / "bank", {"q/good.json": GOOD})
    (tmp_path / "topics.csv").write_text(table)
    with pytest.raises(CommandError, match=words):
        call_command("import_corpus", str(bank), "--benchmark", "demo", "--topics", str(tmp_path / "topics.csv"))
    assert not Benchmark.objects.exists()


def test_a_set_with_a_nul_character_is_said(tmp_path):
    bank = write_bank(tmp_path / "bank", {"q/good.json": GOOD})
    (tmp_path / "set").write_text("q-good-good\nq-\0\n")
    with pytest.raises(CommandError, match="line 2: a NUL character"):
        call_command("import_corpus", str(bank), "--benchmark", "demo", "--set", f"demo-one={tmp_path / 'set'}")
    assert not Benchmark.objects.exists()


@pytest.mark.parametrize("option", ["--name", "--licence"])
@pytest.mark.parametrize(
    ("text", "words"),
    [("n" * 201, "longer than 200 characters"), ("n\udcff", "not UTF-8"), ("n\0", "NUL character")],
    ids=["long", "not UTF-8", "NUL"],
)
def test_words_of_the_benchmark_that_cannot_be_stored_are_said(tmp_path, option, text, words):
    bank = write_bank(tmp_path / "bank", {"q/good.json": GOOD})
    with pytest.raises(CommandError, match=f"{option} .*{words}"):
        call_command("import_corpus", str(bank), "--benchmark", "demo", option, text)
    assert not Benchmark.objects.exists()


def test_a_name_of_200_characters_goes_in(tmp_path):
    bank = write_bank(tmp_path / "bank", {"q/good.json": GOOD})
    call_command("import_corpus", str(bank), "--benchmark", "demo", "--name", "é" * 200, "--licence", "l" * 200)
    assert (Benchmark.objects.get().name, Benchmark.objects.get().licence) == ("é" * 200, "l" * 200)


def test_a_path_of_more_than_500_characters_is_refused_alone(tmp_path):
    long = "/".join(["f" * 100] * 6) + "/bad.json"
    bank = zipped(tmp_path / "bank.zip", {long: json.dumps(question("bad")), "q/good.json": GOOD})
    report = run(bank)
    assert report.count("refused") == report.count("accepted") == 1
    assert Finding.objects.get().file == long[:500]
