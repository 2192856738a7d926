"""What a request may say about the encoding of its text, looked at before Django makes a request of it."""

import codecs
from collections.abc import Callable, Iterable, Mapping
from email.message import Message
from typing import Any

Application = Callable[..., Iterable[bytes]]
_TAKEN = frozenset({"utf-8", "ascii"})
_MESSAGE = b"Send text as UTF-8, or leave the charset out of the Content-Type header.\n"


class Utf8Only:
    """Answer 415 to a request that names another encoding than UTF-8 in its Content-Type.

    Django would read the address and the form by it: some of Python's codecs are none of text and end in an error,
    others bring in characters that a look at the address does not see.
    """

    def __init__(self, application: Application) -> None:
        self.application = application

    def __call__(self, environ: Mapping[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Pass the request on, or refuse it."""
        if is_utf8(environ.get("CONTENT_TYPE", "")):
            return self.application(environ, start_response)
        headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(_MESSAGE)))]
        start_response("415 Unsupported Media Type", headers)
        return [_MESSAGE]


def is_utf8(content_type: str) -> bool:
    """Tell whether a Content-Type names UTF-8 or a part of it, or no encoding at all."""
    header = Message()
    header["Content-Type"] = content_type.replace("\r", " ").replace("\n", " ")
    charset = header.get_param("charset")
    if charset is None:
        return True
    try:
        return codecs.lookup(str(charset)).name in _TAKEN
    except (LookupError, ValueError):
        return False
