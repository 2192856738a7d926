"""Rules about parts of the site that other packages serve: the queue's pages are for superusers, no filter is a NUL."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

pytestmark = pytest.mark.django_db
PAGES = ["/admin/django_rq/dashboard/", "/admin/django_rq/dashboard/queues/1/empty/"]


@pytest.mark.parametrize("page", PAGES)
def test_staff_without_rights_is_refused(client: Client, page: str) -> None:
    client.force_login(User.objects.create_user("staff", is_staff=True))
    assert client.get(page).status_code == 403
    assert client.post(page).status_code == 403


@pytest.mark.parametrize("page", PAGES)
def test_visitors_are_sent_to_the_login(client: Client, page: str) -> None:
    response = client.get(page)
    assert response.status_code == 302
    assert "/admin/login/" in response["Location"]


def test_other_admin_pages_stay_open_to_staff(client: Client) -> None:
    client.force_login(User.objects.create_user("staff", is_staff=True))
    assert client.get("/admin/").status_code == 200


@pytest.mark.parametrize(
    "address", ["survey/questioncomment/?study=%00", "survey/response/?rule__exact=%00", "corpus/finding/?code=a%00b"]
)
def test_a_filter_that_no_database_takes_is_a_bad_request(client: Client, address: str) -> None:
    client.force_login(User.objects.create_superuser("root"))
    assert client.get(f"/admin/{address}").status_code == 400
    assert client.get(f"/admin/{address.replace('%00', '')}").status_code in {200, 302}
