"""Text from outside, made fit for every database."""

import re

# As long as the columns of every row that holds an error.
_CODE_LENGTH = 40
_MESSAGE_LENGTH = 500
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """Return text that every database takes, of the same length: no NUL, no half of a surrogate pair."""
    return _UNSTORABLE.sub(lambda found: "\N{SYMBOL FOR NULL}" if found[0] == "\x00" else "\ufffd", text)


def clipped_error(*, code: str, message: str) -> dict[str, str]:
    """Return the columns in which every row holds an error, fit for the database and cut to what they take."""
    return {"error_code": storable(code)[:_CODE_LENGTH], "error_message": storable(message)[:_MESSAGE_LENGTH]}
