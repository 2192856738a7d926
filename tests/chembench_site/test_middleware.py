"""The queue's own pages are for superusers: whoever opens them can empty queues."""

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
