"""The published corpus in full: counts, sets, labels, findings, export and answer keys."""

import json
import zipfile
from collections import Counter

import pytest

from corpus.models import Benchmark, Molecule, QuestionRevision
from corpus.selectors.answer_keys import answer_keys_check
from corpus.selectors.exports import exported_files
from corpus.selectors.questions import current_revisions
from corpus.selectors.sets import labels_of_set, set_by_slug, set_members
from tests.published.conftest import import_published

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.shared,
    pytest.mark.one_database,
]


@pytest.fixture
def benchmark(report):
    return Benchmark.objects.get(slug="chembench")


@pytest.fixture(scope="module")
def expected(data):
    return json.loads((data / "expected.json").read_text())["models"]["claude3.5"]


def sizes(set_slug, grouping):
    labelled = labels_of_set(set_by_slug(set_slug).current_revision_id, grouping)
    return Counter(name for names in labelled.values() for name in names)


def test_counts_and_sets(report):
    assert (report.count("accepted"), report.count("refused")) == (2788, 0)
    assert dict(report.by_kind) == {"choice": 2544, "number": 244}
    assert dict(report.sets) == {
        "chembench": 2788,
        "chembench-mini": 236,
        "chembench-mini-no-tools": 115,
        "chembench-mini-tools": 121,
    }


def test_the_damage_is_named(report):
    files = {
        code: sorted(f.file for f in report.findings if f.code == code) for code in {f.code for f in report.findings}
    }
    assert [file.rsplit("_", 1)[1] for file in files["smiles-invalid"]] == ["10.json", "10.json", "11.json", "12.json"]
    assert set(files["control-character"]) == {
        "data/icho/uk/2010/4d1.json",
        "data/safety/hedm_munich/12.json",
        "data/safety/pharmacology_vienna/9.json",
    }
    assert "[END_RXMSMILES]" in "".join(f.message for f in report.findings if f.code == "markup-tag")
    assert len(files["uuid-duplicate"]) == 4
    uuids = {f.message.split()[2] for f in report.findings if f.code == "uuid-duplicate"}
    assert {uuid.split("-")[0] for uuid in uuids} == {"55d6bef9", "3b8d5854"}
    assert "topic-missing" not in files
    assert "formula-unchecked" not in files


def test_topics_and_keyword_topics_have_the_published_sizes(report, expected):
    for grouping, published in (("topic", "topics"), ("topic-by-keyword", "topics_keyword")):
        for set_slug, suffix in (("chembench", ""), ("chembench-mini", "_mini")):
            wanted = {
                name: found["n"] if isinstance(found, dict) else found
                for name, found in expected[published + suffix].items()
            }
            assert dict(sizes(set_slug, grouping)) == wanted


def test_skills_and_difficulties(report):
    assert sizes("chembench", "skill") == {"Calculation": 118, "Knowledge": 886, "Reasoning": 955, "Intuition": 1001}
    assert sizes("chembench", "difficulty") == {"Basic": 833, "Advanced": 20, "Intermediate": 1935}


def test_members_keep_the_order_of_the_set_files(report, data):
    members = set_members(set_by_slug("chembench-mini").current_revision_id)
    listed = [(data / name).read_text().splitlines() for name in ("mini_tool.txt", "mini_notool.txt")]
    assert [member.question.key for member in members] == [key for keys in listed for key in keys]


def test_molecules_are_described(report):
    in_reactions = Molecule.objects.filter(revision__stem__contains="[START_RXNSMILES]")
    assert in_reactions.count() == 4
    # 2,540 of the 2,544 SMILES can be read.
    assert Molecule.objects.count() - in_reactions.count() == 2540


def test_importing_again_changes_nothing(report, data, benchmark):
    version = benchmark.results_version
    again = import_published(data)
    assert {file.status for file in again.files} == {"unchanged"}
    assert (again.new_set_revisions, again.labels_changed) == ((), False)
    assert QuestionRevision.objects.count() == 2788
    benchmark.refresh_from_db()
    assert benchmark.results_version == version
    assert again.findings == report.findings


def test_export_equals_all_originals_without_them(report, data, benchmark):
    QuestionRevision.objects.update(original="")
    exported = {path: json.loads(text) for path, text in exported_files(current_revisions(benchmark.pk))}
    with zipfile.ZipFile(data / "corpus.zip") as archive:
        originals = {name: json.loads(archive.read(name)) for name in archive.namelist() if name.endswith(".json")}
    assert len(originals) == 2788
    assert exported == originals
    orders = [list(q["examples"][0].get("target_scores", ())) for q in originals.values()]
    assert [list(exported[name]["examples"][0].get("target_scores", ())) for name in originals] == orders


def test_every_answer_key_behaves(report, benchmark):
    check = answer_keys_check(revisions=current_revisions(benchmark.pk).defer("original"), rule="standard@1")
    assert check.failures == ()
    assert (check.checked, check.right) == (2788, 2788)
