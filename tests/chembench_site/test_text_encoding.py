"""Which encodings a request may name, at the door where gunicorn hands it over."""

from typing import Any
from wsgiref.util import setup_testing_defaults

import pytest

from chembench_site.text_encoding import is_utf8


@pytest.mark.parametrize(
    ("content_type", "is_taken"),
    [
        ("", True),
        ("text/plain", True),
        ("application/json; charset=utf-8", True),
        ('application/json; charset="UTF8"', True),
        ("text/plain; charset=us-ascii", True),
        ("multipart/form-data; boundary=x; charset=hex", False),
        ("text/plain; charset=unicode_escape", False),
        ("text/plain; Charset=utf-7", False),
        ("text/plain; charset=no-such-thing", False),
        ("text/plain; charset=a\x00b", False),
        ("text/plain; charset*=utf-8''hex", False),
        ("text/plain; charset=", False),
    ],
)
def test_encodings_of_text(content_type: str, is_taken: bool) -> None:
    assert is_utf8(content_type) is is_taken


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("content_type", "query", "status"),
    [
        ("text/plain; charset=hex", "a=b", "415 Unsupported Media Type"),
        ("text/plain; charset=unicode_escape", "rule=%5Cud800", "415 Unsupported Media Type"),
        ("text/plain; charset=utf-8", "a=b", "200 OK"),
    ],
)
def test_the_site_as_gunicorn_calls_it(content_type: str, query: str, status: str) -> None:
    from chembench_site.wsgi import application

    environ: dict[str, Any] = {"PATH_INFO": "/methods/", "QUERY_STRING": query, "CONTENT_TYPE": content_type}
    environ["HTTP_HOST"] = "testserver"
    setup_testing_defaults(environ)
    told: list[str] = []
    answer = application(environ, lambda status, headers: told.append(status))
    assert b"".join(answer)
    assert told == [status]
