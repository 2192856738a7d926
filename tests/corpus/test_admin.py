"""The operator's pages: evidence is shown and never edited, descriptions are, and the record says who did it."""

import pytest
from django.contrib.auth.models import Permission, User
from django.urls import reverse

from corpus.models import ActionLog, Finding
from tests.corpus.factories import label_question, make_benchmark, make_question, make_set

pytestmark = pytest.mark.django_db

LISTS = [
    "actionlog", "benchmark", "finding", "grouping", "label", "question", "questionrevision", "questionset", "source",
]  # fmt: skip


@pytest.fixture
def benchmark():
    return make_benchmark(slug="bench", name="Bench")


@pytest.fixture
def question(benchmark):
    question = make_question(
        benchmark,
        key="folder-file-q",
        stem=r"What is <script>alert(1)</script> \ce{H2O} beside [START_SMILES]CCO[END_SMILES]?",
        options=[("water", 1), (r"$\frac{1}{2}$", 0)],
    )
    label_question(question, name="Organic Chemistry")
    Finding.objects.create(
        benchmark=benchmark, question=question, file="folder/file.json", code="markup-tag", message="Bad."
    )
    make_set(benchmark, "bench", [question])
    return question


@pytest.mark.parametrize("name", LISTS)
def test_every_list_opens(admin_client, question, name):
    response = admin_client.get(reverse(f"admin:corpus_{name}_changelist"))
    assert response.status_code == 200


def test_question_list_can_be_searched_and_filtered(admin_client, benchmark, question):
    make_question(benchmark, key="another")
    address = reverse("admin:corpus_question_changelist")
    by_text = admin_client.get(address, {"q": "H2O"})
    assert [row.key for row in by_text.context["cl"].result_list] == ["folder-file-q"]
    by_code = admin_client.get(address, {"findings__code": "markup-tag"})
    assert [row.key for row in by_code.context["cl"].result_list] == ["folder-file-q"]
    members = question.current_revision.set_memberships.get()
    by_set = admin_client.get(address, {"current_revision__set_memberships__set_revision": members.set_revision_id})
    assert [row.key for row in by_set.context["cl"].result_list] == ["folder-file-q"]


def test_question_page_shows_both_renderings_and_runs_nothing(admin_client, question):
    page = admin_client.get(reverse("admin:corpus_question_change", args=[question.pk])).content.decode()
    assert "<svg" in page
    assert "[START_SMILES]CCO[END_SMILES]" in page
    assert "<script>alert(1)" not in page
    assert "Topic: Organic Chemistry" in page.replace("topic:", "Topic:")
    assert "markup-tag" in page


@pytest.mark.parametrize(("permissions", "told"), [((), False), (("view_questionrevision",), True)])
def test_what_is_right_is_shown_to_those_who_may_see_keys(client, question, permissions, told):
    reader = User.objects.create_user("reader", is_staff=True)
    reader.user_permissions.set(Permission.objects.filter(codename__in=["view_question", *permissions]))
    client.force_login(reader)
    number = make_question(question.benchmark, kind="number", target="4.15E-21")
    pages = [
        client.get(reverse("admin:corpus_question_change", args=[asked.pk])).content.decode()
        for asked in (question, number)
    ]
    assert ['<th scope="col">Credit</th>' in pages[0], "4.15E-21" in pages[1]] == [told, told]
    assert "water" in pages[0]


@pytest.mark.parametrize("name", ["question", "questionrevision"])
def test_evidence_cannot_be_changed_or_deleted(admin_client, question, name):
    pk = question.pk if name == "question" else question.current_revision_id
    changed = admin_client.post(reverse(f"admin:corpus_{name}_change", args=[pk]), {"key": "x"})
    deleted = admin_client.post(reverse(f"admin:corpus_{name}_delete", args=[pk]), {"post": "yes"})
    added = admin_client.get(reverse(f"admin:corpus_{name}_add"))
    assert (changed.status_code, deleted.status_code, added.status_code) == (403, 403, 403)


def test_opening_a_set_is_recorded_and_counts_as_a_change(admin_client, benchmark, question):
    question_set = benchmark.question_sets.get()
    fields = {"name": question_set.name, "description": "", "policy": "open", "revisions-TOTAL_FORMS": 0}
    fields["revisions-INITIAL_FORMS"] = 0
    admin_client.post(reverse("admin:corpus_questionset_change", args=[question_set.pk]), fields)
    question_set.refresh_from_db()
    benchmark.refresh_from_db()
    log = ActionLog.objects.get(code="questionset.described")
    assert (question_set.policy, benchmark.results_version, log.detail) == ("open", 1, {"fields": ["policy"]})
    assert log.actor.is_superuser
