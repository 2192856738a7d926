"""Published snapshots: frozen, numbered, hashed, readable for good, and silent about single people."""

import csv
import hashlib
import io
import json

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command
from django.db import IntegrityError, models, transaction
from django.urls import reverse

from corpus.models import ActionLog, QuestionSet
from corpus.services.results import results_changed
from evaluations.models import System
from leaderboard.models import Snapshot
from leaderboard.queries import load_board
from leaderboard.selectors.snapshots import content_of, is_intact
from leaderboard.services.snapshots import SnapshotError, snapshot_publish
from leaderboard.snapshot_changes import changes_between
from survey.models import Participant
from survey.services.withdrawal import participant_withdraw
from tests.leaderboard.factories import make_people, make_run, make_system

PEOPLE = ["++++++----", "+++++-----", "++++------", "+++-------", "++--------", "+---------"]


@pytest.fixture
def results(small_set):
    make_run(make_system(slug="good", name="Good"), small_set, "++++++++--")
    make_run(make_system(slug="poor", name="=Poor", kind="agent"), small_set, "+-+-+-----")
    make_run(make_system(slug="stopped", name="Stopped"), small_set, "++++++++e ")
    return small_set


def publish(question_set: QuestionSet, **more) -> Snapshot:
    return snapshot_publish(question_set=question_set, **more)


def rows_of(snapshot: Snapshot) -> dict[str, dict]:
    return {row["slug"]: row for row in content_of(snapshot)["board"]["rows"]}


def test_a_snapshot_is_the_board_of_that_moment(client, results) -> None:
    board = client.get("/api/v1/leaderboard/small/").json()
    content = content_of(publish(results, note=" First. "))
    assert content["board"]["rows"] == board["rows"]
    assert (content["snapshot"], content["note"], content["rule"]["name"]) == (1, "First.", "standard@1")
    assert content["set"] == {
        "slug": "small",
        "name": "Small set",
        "revision": 1,
        "content_hash": results.current_revision.content_hash,
        "n_questions": 10,
        "policy": "closed",
    }


def test_it_stays_while_the_board_moves_on(client, results) -> None:
    first = publish(results)
    before = client.get("/snapshots/1.json").content, client.get("/snapshots/1.csv").content
    make_run(make_system(slug="new", name="New"), results, "+" * 10)
    System.objects.filter(slug="good").update(name="Renamed")
    System.objects.filter(slug="poor").update(is_hidden=True)
    second = publish(results)
    assert (client.get("/snapshots/1.json").content, client.get("/snapshots/1.csv").content) == before
    assert (first.number, second.number) == (1, 2)
    assert list(rows_of(second)) == ["new", "good", "stopped"]
    assert "=Poor" in client.get("/snapshots/1/").content.decode()


def test_the_database_refuses_to_change_it(results) -> None:
    snapshot = publish(results)
    changes = {"content": "{}", "number": 9, "published_at": "2020-01-01T00:00:00Z", "basis": {}, "title": "x"}
    for name, value in changes.items():
        with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
            Snapshot.objects.update(**{name: value})
    snapshot.title = "Another"
    with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
        snapshot.save()
    assert is_intact(Snapshot.objects.get())


def test_what_it_is_of_cannot_be_deleted(results) -> None:
    publish(results)
    with pytest.raises(models.ProtectedError):
        results.current_revision.delete()


def test_anyone_can_work_the_hash_out_again(client, results) -> None:
    snapshot = publish(results)
    served = client.get("/snapshots/1.json")
    assert hashlib.sha256(served.content).hexdigest() == snapshot.content_hash
    written_again = json.dumps(served.json(), sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(written_again.encode()).hexdigest() == snapshot.content_hash
    table = client.get("/snapshots/1.csv").content
    assert hashlib.sha256(table).hexdigest() == served.json()["table_hash"]
    page = client.get("/snapshots/1/").content.decode()
    assert snapshot.content_hash in page
    assert "/snapshots/1.json | sha256sum" in page
    assert served.json()["citation"] in page.replace("&#x27;", "'")
    assert "/snapshots/1/" in served.json()["citation"]
    assert "Not as it was published" not in page


def test_files_that_were_tampered_with_are_told_apart(results) -> None:
    snapshot = publish(results)
    snapshot.table += "x"
    assert not is_intact(snapshot)
    snapshot = Snapshot.objects.get()
    snapshot.content = snapshot.content.replace('"accuracy":0.8', '"accuracy":0.9')
    assert not is_intact(snapshot)


def test_the_files_may_be_kept_for_good_and_read_from_anywhere(client, results) -> None:
    publish(results)
    for url in ("/snapshots/1.json", "/snapshots/1.csv"):
        response = client.get(url)
        assert "immutable" in response["Cache-Control"]
        assert response["Access-Control-Allow-Origin"] == "*"
        assert client.get(url, headers={"If-None-Match": response["ETag"]}).status_code == 304


def test_the_table_is_safe_in_a_spreadsheet(client, results) -> None:
    publish(results)
    lines = {
        line["slug"]: line for line in csv.DictReader(io.StringIO(client.get("/snapshots/1.csv").content.decode()))
    }
    assert lines["poor"]["name"] == "'=Poor"
    assert lines["good"]["accuracy"] == "0.8"
    assert lines["stopped"]["accuracy"] == ""


def test_nothing_new_is_not_published_again(results) -> None:
    publish(results)
    with pytest.raises(SnapshotError, match="Nothing has changed since snapshot 1"):
        publish(results)
    System.objects.filter(slug="good").update(name="Renamed")
    assert publish(results).number == 2


def test_a_board_that_changes_while_it_is_read_is_not_published(results, monkeypatch) -> None:
    def changed_meanwhile(**more):
        results_changed(benchmark_id=results.benchmark_id)
        return load_board(**more)

    monkeypatch.setattr("leaderboard.services.snapshots.load_board", changed_meanwhile)
    with pytest.raises(SnapshotError, match="Results changed while the board was being read"):
        publish(results)
    assert not Snapshot.objects.exists()


def test_a_board_without_a_complete_result_is_not_published(small_set) -> None:
    make_run(make_system(slug="stopped"), small_set, "+++       ")
    with pytest.raises(SnapshotError, match="nothing to publish"):
        publish(small_set)
    assert not Snapshot.objects.exists()


def test_people_are_told_coarsely_of_the_whole_set_and_ranked_by_that(client, results) -> None:
    make_people(results, [*PEOPLE, "+++++++++-"])
    exact = {row["slug"]: row for row in client.get("/api/v1/leaderboard/small/").json()["rows"]}["human-experts"]
    snapshot = publish(results)
    row = rows_of(snapshot)["human-experts"]
    # 30 of 70 answers are right: 43 % could be nothing else (tests/leaderboard/test_people_steps.py).
    assert exact["accuracy"] == pytest.approx(30 / 70)
    assert (row["accuracy"], row["rank"], row["people"]) == (0.5, 2, {"n": 7, "best": None, "worst": None})
    assert row["ci_low"] <= exact["ci_low"]
    assert row["ci_high"] >= exact["ci_high"]
    assert (row["ci_low"] * 100) % 1 == pytest.approx(0)
    assert (row["outcomes"], row["topics"], row["inclusion"]) == ({}, {}, "")
    text = Snapshot.objects.get().content
    assert "n_people" not in text
    assert "person-" not in text
    page = client.get("/snapshots/1/").content.decode()
    assert "50%" in page
    assert "42.9%" not in page


def test_a_withdrawal_changes_no_snapshot_and_the_next_one_says_nothing_of_it(client, results) -> None:
    people = make_people(results, PEOPLE)
    first = publish(results)
    before = client.get("/snapshots/1.json").content
    participant_withdraw(participant=people[0])
    assert client.get("/snapshots/1.json").content == before
    second = publish(results)
    assert "human-experts" in rows_of(first)
    # The board shows five people; beside the six of the first snapshot they would tell how one did.
    assert "human-experts" in {row["slug"] for row in client.get("/api/v1/leaderboard/small/").json()["rows"]}
    assert "human-experts" not in rows_of(second)
    assert content_of(second)["people"]["why_not"].startswith("Fewer than 5 people came or went since snapshot 1")
    page = client.get("/snapshots/changes/", {"from": 1, "to": 2}).content.decode()
    assert "not shown: Fewer than 5 people" in page


def test_people_are_there_again_when_enough_came(results) -> None:
    make_people(results, PEOPLE)
    publish(results)
    make_people(results, PEOPLE[:5])
    second = publish(results)
    assert rows_of(second)["human-experts"]["people"]["n"] == 11


def test_a_rule_of_its_own_is_a_snapshot_of_its_own(results) -> None:
    make_run(make_system(slug="old", provider="imported"), results, "+" * 10, origin="imported", published="++++++----")
    publish(results)
    second = publish(results, rule="as-published")
    assert (second.rule, list(rows_of(second))) == ("as-published@1", ["old"])


def test_who_published_is_in_the_action_log(results) -> None:
    user = User.objects.create_user("publisher")
    snapshot = publish(results, actor=user)
    log = ActionLog.objects.get(code="snapshot.published")
    assert (log.actor, log.object_id) == (user, str(snapshot.pk))


def test_pages_say_what_changed(client, results) -> None:
    publish(results)
    make_run(make_system(slug="new", name="Newcomer"), results, "+" * 10)
    make_run(System.objects.get(slug="poor"), results, "+++++++---")
    System.objects.filter(slug="stopped").update(is_hidden=True)
    publish(results)
    # In whatever order they are asked for.
    page = " ".join(client.get("/snapshots/changes/", {"from": 2, "to": 1}).content.decode().split())
    assert "1 came, 1 went, 1 changed, 1 moved in rank only, 0 stayed as they were." in page
    assert "Good: rank 1, now 2" in page
    assert 'From <a href="/snapshots/1/">snapshot 1</a>' in page
    for words in ("Newcomer", "+40.0", "30.0%", "70.0%", "not there"):
        assert words in page
    listed = client.get("/snapshots/").content.decode()
    assert "Snapshot 2" in listed
    assert "Snapshot 1" in listed
    assert "Snapshot 1" not in client.get("/snapshots/", {"set": "none"}).content.decode()


def test_other_answers_with_the_same_accuracy_are_a_change(client, results) -> None:
    publish(results)
    make_run(System.objects.get(slug="poor"), results, "+++uuuuuuu")
    publish(results)
    page = " ".join(client.get("/snapshots/changes/", {"from": 1, "to": 2}).content.decode().split())
    assert "0 came, 0 went, 1 changed, 0 moved in rank only" in page
    earlier, later = (client.get(f"/snapshots/{number}.json").json() for number in (1, 2))
    for row in earlier["board"]["rows"]:
        del row["outcomes"]
    assert not changes_between(earlier, later).rows, "what one of two does not say has not changed"


def test_what_does_not_exist_is_not_found(client, results) -> None:
    publish(results)
    for url in (
        "/snapshots/9/",
        "/snapshots/9.json",
        "/snapshots/9.csv",
        "/snapshots/99999999999999999999999/",
        "/snapshots/changes/",
        "/snapshots/changes/?from=1&to=9",
        "/snapshots/changes/?from=x&to=1",
        "/snapshots/changes/?from=1&to=99999999999999999999",
    ):
        assert client.get(url).status_code == 404, url


def test_without_any_the_page_says_how_to_publish(client, db) -> None:
    assert "snapshot_publish" in client.get("/snapshots/").content.decode()


@pytest.fixture
def publisher(client) -> User:
    user = User.objects.create_user("publisher", is_staff=True)
    permissions = Permission.objects.filter(codename__in=["add_snapshot", "view_snapshot"])
    user.user_permissions.set(permissions)
    client.force_login(user)
    return user


def test_the_admin_publishes_once(client, results, publisher) -> None:
    add = reverse("admin:leaderboard_snapshot_add")
    assert client.get(add).status_code == 200
    form = {"question_set": results.pk, "rule": "", "note": "For the paper."}
    response = client.post(add, form)
    snapshot = Snapshot.objects.get()
    assert response["Location"] == reverse("admin:leaderboard_snapshot_change", args=[snapshot.pk])
    assert content_of(snapshot)["note"] == "For the paper."
    assert client.get(response["Location"]).status_code == 200
    again = client.post(add, form)
    assert "Nothing has changed since snapshot 1" in again.content.decode()
    assert Snapshot.objects.count() == 1


def test_the_admin_changes_and_deletes_none(client, results, publisher) -> None:
    snapshot = publish(results)
    publisher.user_permissions.set(Permission.objects.filter(content_type__model="snapshot"))
    change = reverse("admin:leaderboard_snapshot_change", args=[snapshot.pk])
    assert client.post(change, {"title": "Another"}).status_code == 403
    assert client.post(reverse("admin:leaderboard_snapshot_delete", args=[snapshot.pk])).status_code == 403
    page = client.get(change).content.decode()
    assert "participant_ids" not in page
    assert "Save" not in page


def test_staff_without_the_permission_publish_nothing(client, results, publisher) -> None:
    publisher.user_permissions.clear()
    response = client.post(reverse("admin:leaderboard_snapshot_add"), {"question_set": results.pk})
    assert response.status_code == 403
    assert not Snapshot.objects.exists()


def test_the_command_publishes_and_reports(results, capsys) -> None:
    call_command("snapshot_publish", "small", "--json")
    report = json.loads(capsys.readouterr().out)
    assert (report["snapshot"], report["rows"], report["people_shown"]) == (1, 3, False)
    assert report["hash"] == Snapshot.objects.get().content_hash


def test_a_dry_run_tells_what_would_be_published_and_publishes_nothing(results, capsys) -> None:
    call_command("snapshot_publish", "small", "--dry-run", "--json")
    told = json.loads(capsys.readouterr().out)
    assert (told["dry_run"], told["rows"], told["people_shown"]) == (True, 3, False)
    call_command("snapshot_publish", "small", "--dry-run")
    said = capsys.readouterr()
    assert said.out.startswith("Dry run, nothing was published.")
    assert f"{told['ranked']} of them ranked" in said.out
    assert "Without people" in said.err
    assert not Snapshot.objects.exists()
    call_command("snapshot_publish", "small", "--json")
    assert json.loads(capsys.readouterr().out)["rows"] == told["rows"]


def test_the_command_says_what_there_is(results) -> None:
    for arguments, words in ((["none"], "There are: small"), (["small", "--rule", "none"], "standard@1")):
        with pytest.raises(CommandError, match=words):
            call_command("snapshot_publish", *arguments)
    assert not Snapshot.objects.exists()


def test_no_participant_is_in_what_is_served(client, results) -> None:
    make_people(results, PEOPLE)
    publish(results)
    pseudonyms = list(Participant.objects.values_list("pseudonym", flat=True))
    for url in ("/snapshots/", "/snapshots/1/", "/snapshots/1.json", "/snapshots/1.csv"):
        body = client.get(url).content.decode()
        assert "participant" not in body
        assert not [name for name in pseudonyms if name in body]
