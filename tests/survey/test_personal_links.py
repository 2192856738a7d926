"""Personal links: a new one ends the old one at once, guessing is slow, and a shared computer forgets."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from corpus.models import ActionLog
from survey.models import Participant, UnknownLinkCount
from survey.services import link_renew, participant_withdraw, study_close, unknown_link_note
from survey.services import links as links_module
from survey.services.links import UNKNOWN_LINKS_A_MINUTE, address_key, seconds_until_links_open
from survey.views.access import SESSION_KEY
from tests.survey.factories import answer_next, client_of, make_participant, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def words(response: object) -> str:
    return " ".join(response.content.decode().split())


def resume(client: Client, secret: str, **headers: str) -> object:
    return client.get(reverse("survey:resume", args=[secret]), **headers)


def press_new_link(client: Client, participant: Participant, fingerprint: str | None = None) -> object:
    slug = participant.study.slug
    if fingerprint is None:
        fingerprint = client.get(reverse("survey:link", args=[slug])).context["link_fingerprint"]
    return client.post(reverse("survey:new-link", args=[slug]), {"link": fingerprint}, follow=True)


# A new link


def test_new_link_ends_the_old_one_and_what_was_entered_by_it() -> None:
    participant = make_participant(make_study())
    mine, elsewhere = client_of(participant), client_of(participant)
    old = participant.link_secret
    page = press_new_link(mine, participant)
    participant.refresh_from_db()
    assert participant.link_secret != old
    assert participant.link_secret in words(page)
    assert old not in words(page)
    assert resume(Client(), old).status_code == 404
    there = elsewhere.get(reverse("survey:continue", args=[participant.study.slug]), follow=True)
    assert there.resolver_match.url_name == "start"
    assert participant.pseudonym not in words(there)
    assert resume(Client(), participant.link_secret).status_code == 302
    here = mine.get(reverse("survey:continue", args=[participant.study.slug]), follow=True)
    assert here.resolver_match.url_name == "rules"
    assert ActionLog.objects.filter(code="participant.link_renewed").count() == 1


def test_new_link_pressed_twice_makes_one_and_loses_nobody() -> None:
    participant = make_participant(make_study())
    client = client_of(participant)
    fingerprint = client.get(reverse("survey:link", args=[participant.study.slug])).context["link_fingerprint"]
    first = press_new_link(client, participant, fingerprint)
    secret = Participant.objects.get().link_secret
    second = press_new_link(client, participant, fingerprint)
    assert Participant.objects.get().link_secret == secret
    assert secret in words(first)
    assert secret in words(second)


def test_service_renews_only_the_link_it_was_asked_about() -> None:
    participant = make_participant(make_study())
    old = participant.link_secret
    assert not link_renew(participant=participant, old_secret="another")
    assert link_renew(participant=participant, old_secret=old)
    assert not link_renew(participant=participant, old_secret=old)


@pytest.mark.parametrize("is_known", [True, False])
def test_a_consent_page_makes_one_person_whatever_became_of_the_link_it_made(is_known: bool) -> None:
    study = make_study()
    url, client = reverse("survey:consent", args=[study.slug]), Client()
    data = {"page": client.get(url).context["page"], "agree": "on"}
    client.post(url, data)
    participant = Participant.objects.get()
    press_new_link(client, participant)
    sender = client if is_known else Client()
    page = sender.post(url, data, follow=True)
    assert Participant.objects.count() == 1
    # Whoever has the page alone is not let in: the link it made has ended.
    assert (SESSION_KEY in sender.session) is is_known
    if is_known:
        assert page.resolver_match.url_name == "profile"
    else:
        assert "has a new personal link" in words(page)
        assert "Open your personal link" in words(page)
        begun = sender.get(url).context["page"]
        assert sender.post(url, {"page": begun, "agree": "on"}).status_code == 302
        assert Participant.objects.count() == 2


def test_two_consent_pages_of_one_browser_make_one_person_unless_somebody_new_was_asked_for() -> None:
    study = make_study()
    url, client = reverse("survey:consent", args=[study.slug]), Client()
    pages = [client.get(url).context["page"] for _ in range(2)]
    for page in pages:
        assert client.post(url, {"page": page, "agree": "on"})["Location"] == reverse(
            "survey:profile", args=[study.slug]
        )
    assert Participant.objects.count() == 1
    page = client.get(url, {"new": "1"}).context["page"]
    client.post(url, {"page": page, "agree": "on"})
    assert Participant.objects.count() == 2


def test_a_consent_page_of_somebody_who_withdrew_makes_nobody() -> None:
    study = make_study()
    url, client = reverse("survey:consent", args=[study.slug]), Client()
    data = {"page": client.get(url).context["page"], "agree": "on"}
    client.post(url, data)
    participant_withdraw(participant=Participant.objects.get())
    assert client.post(url, data, follow=True).status_code == 403
    assert Participant.objects.count() == 1


def test_session_holds_neither_link_nor_more_than_needed() -> None:
    participant = make_participant(make_study())
    client = client_of(participant)
    assert participant.link_secret not in str(dict(client.session))
    entry = client.session[SESSION_KEY][participant.study.slug]
    assert entry[0] == participant.pk
    session = client.session
    session[SESSION_KEY] = {participant.study.slug: participant.pk}
    session.save()
    assert client.get(reverse("survey:link", args=[participant.study.slug])).status_code == 302


# Guessing


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    """The time that the counts go by; change its one entry."""
    now = [NOON + timedelta(seconds=10)]
    monkeypatch.setattr(links_module.timezone, "now", lambda: now[0])
    return now


def guess(client: Client, times: int, **headers: str) -> list[int]:
    return [resume(client, f"guess-{number}", **headers).status_code for number in range(times)]


def test_too_many_unknown_links_from_one_address_are_put_off_for_the_minute(clock: list[datetime]) -> None:
    participant = make_participant(make_study())
    assert guess(Client(), UNKNOWN_LINKS_A_MINUTE) == [404] * UNKNOWN_LINKS_A_MINUTE
    page = resume(Client(), "one-more")
    assert page.status_code == 429
    assert page["Retry-After"] == "50"
    assert "no-store" in page["Cache-Control"]
    right = resume(Client(), participant.link_secret)
    assert right.status_code == 429, "a right guess must not stand out"
    assert resume(Client(), participant.link_secret, REMOTE_ADDR="198.51.100.7").status_code == 302
    clock[0] = NOON + timedelta(seconds=60)
    assert resume(Client(), participant.link_secret).status_code == 302


def test_known_links_are_never_counted(clock: list[datetime]) -> None:
    participant = make_participant(make_study())
    for _ in range(UNKNOWN_LINKS_A_MINUTE + 5):
        assert resume(Client(), participant.link_secret).status_code == 302
    assert not UnknownLinkCount.objects.exists()


def test_who_is_in_goes_on_while_links_are_put_off(clock: list[datetime]) -> None:
    participant = make_participant(make_study())
    client = client_of(participant)
    guess(Client(), UNKNOWN_LINKS_A_MINUTE + 1)
    assert client.get(reverse("survey:continue", args=[participant.study.slug]), follow=True).status_code == 200


def test_forwarded_header_counts_only_behind_a_proxy_and_only_its_last_address(
    clock: list[datetime], settings: Any
) -> None:
    settings.BEHIND_PROXY = False
    for number in range(UNKNOWN_LINKS_A_MINUTE):
        guess(Client(), 1, HTTP_X_FORWARDED_FOR=f"203.0.113.{number}")
    assert guess(Client(), 1, HTTP_X_FORWARDED_FOR="203.0.113.99") == [429]
    settings.BEHIND_PROXY = True
    UnknownLinkCount.objects.all().delete()
    for number in range(UNKNOWN_LINKS_A_MINUTE):
        guess(Client(), 1, HTTP_X_FORWARDED_FOR=f"10.0.0.{number}, 198.51.100.1")
    assert guess(Client(), 1, HTTP_X_FORWARDED_FOR="10.9.9.9, 198.51.100.1") == [429]
    assert guess(Client(), 1, HTTP_X_FORWARDED_FOR="198.51.100.1, 198.51.100.2") == [404]


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("", "", True),
        ("not an address", "192.0.2.1", False),
    ],
)
def test_addresses_of_one_network_are_counted_together(one: str, other: str, is_same: bool) -> None:
    assert (address_key(one) == address_key(other)) is is_same


def test_counts_hold_no_address_and_go_after_an_hour() -> None:
    unknown_link_note(address="192.0.2.1", now=NOON)
    row = UnknownLinkCount.objects.get()
    assert "192.0.2" not in row.address_key
    unknown_link_note(address="192.0.2.2", now=NOON + timedelta(minutes=61))
    assert not UnknownLinkCount.objects.filter(pk=row.pk).exists()


@pytest.mark.parametrize("second", [0, 30, 59, 59.999])
def test_nobody_is_put_off_for_longer_than_a_minute(second: float) -> None:
    now = NOON + timedelta(seconds=second)
    for _ in range(UNKNOWN_LINKS_A_MINUTE * 3):
        unknown_link_note(address="192.0.2.1", now=now)
    seconds = seconds_until_links_open(address="192.0.2.1", now=now)
    assert 1 <= seconds <= 60
    assert seconds_until_links_open(address="192.0.2.1", now=now + timedelta(seconds=seconds)) == 0


# A shared computer


@pytest.mark.parametrize("is_finished", [False, True])
def test_start_page_asks_who_goes_on(is_finished: bool) -> None:
    study = make_study(n_choice=1, n_number=0, n_tools=0)
    participant = make_participant(study)
    if is_finished:
        answer_next(participant)
    text = words(client_of(participant).get(reverse("survey:start", args=[study.slug])))
    assert participant.pseudonym in text
    assert "Begin as someone new" in text
    assert ("Open the last page" in text) is is_finished


def test_closed_study_still_leads_to_the_last_page_but_takes_nobody_new() -> None:
    study = make_study(n_choice=1, n_number=0, n_tools=0)
    participant = make_participant(study)
    answer_next(participant)
    study_close(study=study)
    text = words(client_of(participant).get(reverse("survey:start", args=[study.slug])))
    assert "Open the last page" in text
    assert "Begin as someone new" not in text


def test_leaving_forgets_who_was_here_and_keeps_everything_else() -> None:
    participant, other = make_participant(make_study()), make_participant(make_study())
    client = client_of(participant)
    resume(client, other.link_secret)
    key = client.session.session_key
    page = client.post(reverse("survey:leave", args=[participant.study.slug]), follow=True)
    assert participant.pseudonym not in words(page)
    assert client.session.session_key != key
    assert client.get(reverse("survey:link", args=[participant.study.slug])).status_code == 302
    assert client.get(reverse("survey:link", args=[other.study.slug])).status_code == 200
    assert resume(client, participant.link_secret).status_code == 302


def test_leaving_and_a_new_link_take_a_press() -> None:
    participant = make_participant(make_study())
    client = client_of(participant)
    for name in ("leave", "new-link"):
        assert client.get(reverse(f"survey:{name}", args=[participant.study.slug])).status_code == 405
    assert client.get(reverse("survey:link", args=[participant.study.slug])).status_code == 200
