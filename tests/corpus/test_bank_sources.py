"""Where the files come from: a zip, a folder and one file give the same keys; tables are read strictly."""

import json
import zipfile

import pytest

from corpus.importers.chembench import read_question
from corpus.importers.sources import SourceError, bank_files
from corpus.importers.tables import read_set, read_topics, topic_display, topic_slug
from tests.corpus.bank import question, write_bank


def keys(source):
    return [read_question(file).key for file in bank_files(source)]


def test_zip_folder_and_file_give_the_same_keys(tmp_path):
    bank = write_bank(tmp_path / "bank", {"safety/a.json": question("x"), "top.json": question("y")})
    archive = tmp_path / "bank.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        for path in bank.rglob("*.json"):
            opened.write(path, path.relative_to(bank))
    assert keys(bank) == keys(archive) == ["bank-top-y", "safety-a-x"]
    assert keys(bank / "safety" / "a.json") == ["safety-a-x"]
    assert keys(bank / "top.json") == ["bank-top-y"]


def test_other_files_and_hidden_ones_are_passed_over(tmp_path):
    files = {"LICENSE": "MIT", ".git/a.json": "{", "__MACOSX/x.json": "{", "q/a.JSON": "{", "q/b.json": question()}
    bank = write_bank(tmp_path / "bank", files)
    assert [file.path for file in bank_files(bank)] == ["q/a.JSON", "q/b.json"]


def test_a_path_out_of_the_zip_stays_inside(tmp_path):
    archive = tmp_path / "evil.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("../../etc/a.json", json.dumps(question()))
    assert [file.path for file in bank_files(archive)] == ["etc/a.json"]


def test_a_damaged_member_of_a_zip_is_a_problem_of_that_file(tmp_path):
    archive = tmp_path / "bank.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("q/a.json", json.dumps(question("a")))
        opened.writestr("q/b.json", json.dumps(question("b")))
    damaged = archive.read_bytes().replace(b'"name": "a"', b'"name": "z"', 1)
    archive.write_bytes(damaged)
    first, second = bank_files(archive)
    assert "cannot be read from the zip" in first.problem
    assert not second.problem


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("missing", None, "no file or folder"),
        ("bank.txt", "x", "neither a zip"),
        ("empty/LICENSE", "x", "no .json file"),
    ],
)
def test_an_unusable_source_is_said(tmp_path, name, content, words):
    if content is not None:
        write_bank(tmp_path, {name: content})
    with pytest.raises(SourceError, match=words):
        bank_files(tmp_path / name.split("/")[0])


@pytest.mark.parametrize(
    "name", ["Organic Chemistry", "organic-chemistry", "organic_chemistry ", " ORGANIC  chemistry"]
)
def test_spellings_of_one_topic_are_one(name):
    assert topic_slug(name) == "organic-chemistry"


@pytest.mark.parametrize(
    ("spellings", "shown"),
    [
        (["organic_chemistry ", "organic-chemistry", "Organic Chemistry"], "Organic Chemistry"),
        (["organic_chemistry"], "Organic Chemistry"),
        (["Toxicity/Safety"], "Toxicity/Safety"),
        (["Solid-state Chemistry"], "Solid-state Chemistry"),
    ],
)
def test_the_best_written_spelling_is_shown(spellings, shown):
    assert topic_display(spellings) == shown


def test_topics_table_with_skills_and_difficulty(tmp_path):
    table = tmp_path / "topics.csv"
    table.write_text('index,topic,requires,difficulty,content\nk,T,"Calculation, Knowledge and Reasoning",'
                     'difficulty-basic,"a form\ffeed\nand a line"\nl,T,,,x\n')  # fmt: skip
    first, second = read_topics(table)
    assert (first.skills, first.difficulty) == (("calculation", "knowledge", "reasoning"), "basic")
    assert (second.key, second.skills, second.difficulty) == ("l", (), "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("question,topic\na,b\n", "no column index"),
        ("index,topic\na,\n", "line 2"),
        ("index,topic\na,One\na,Two\n", "two topics"),
    ],
)
def test_a_bad_topics_table_is_said(tmp_path, text, words):
    table = tmp_path / "topics.csv"
    table.write_text(text)
    with pytest.raises(SourceError, match=words):
        read_topics(table)


def test_several_set_files_make_their_union_in_order(tmp_path):
    (tmp_path / "a.txt").write_text("k2\nk1\n\n")
    (tmp_path / "b.txt").write_text("k3\r\nk1\n")
    assert read_set([tmp_path / "a.txt", tmp_path / "b.txt"]) == ("k2", "k1", "k3")


def test_an_empty_or_missing_set_file_is_said(tmp_path):
    (tmp_path / "a.txt").write_text("\n")
    with pytest.raises(SourceError, match="no question key"):
        read_set([tmp_path / "a.txt"])
    with pytest.raises(SourceError, match="cannot be read"):
        read_set([tmp_path / "none.txt"])
