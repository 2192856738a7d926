"""No key survives in a message."""

import base64
import time

import pytest

from evaluations.redaction import heard, looks_like_key, redact

KEY = "canary/key+0123 456789"


@pytest.mark.parametrize(
    ("text", "keys", "left"),
    [
        (f"bad key {KEY}!", [KEY], "bad key [key removed]!"),
        ("at ?key=canary%2Fkey%2B0123%20456789", [KEY], "at ?key=[key removed]"),
        ("Incorrect API key provided: sk-proj-abc*****wxyz.", [], "Incorrect API key provided: [key removed]"),
        ("Authorization: Bearer abc.def-123", [], "Authorization: [key removed]"),
        ("gsk_abcdefghijkl is unknown", [], "[key removed] is unknown"),
        ("the task-based risk-assessment failed", [], "the task-based risk-assessment failed"),
        ("none of these", ["none"], "none of these"),
        ("try pulling it with `ollama pull llama3`", ["ollama"], "try pulling it with `ollama pull llama3`"),
        ("no model in LM-Studio", ["lm-studio"], "no model in LM-Studio"),
        ("placeholder is EMPTY_KEY", ["EMPTY_KEY"], "placeholder is EMPTY_KEY"),
        ("bad key hunter7", ["hunter7"], "bad key [key removed]"),
        ("bad key correcthorse", ["correcthorse"], "bad key [key removed]"),
        ("bad key sEcReTkEy", ["sEcReTkEy"], "bad key [key removed]"),
        ("bad key pass.word", ["pass.word"], "bad key [key removed]"),
        ("all fine", [""], "all fine"),
        (f"bad key {KEY[:11]}... at {KEY[11:]}", [KEY], "bad key [key removed]... at [key removed]"),
        ("key CANARY%2fKEY***456789 and Canary/", [KEY], "key [key removed]***456789 and Canary/"),
        ("x23 456789, y0123 4567", [KEY], "x[key removed], y[key removed]"),
        ("eight of a short key: canary-k", ["canary-key"], "eight of a short key: canary-k"),
        ("\u0130\u0130 canary/key", [KEY], "\u0130\u0130 [key removed]"),
        ("canary", [KEY], "canary"),
        ("Authorization: Basic dXNlcjpwYXNz was refused", [], "Authorization: Basic [key removed] was refused"),
        ("basic authentication is required", [], "basic authentication is required"),
        ("no route to https://user:pa55@host/v1", [], "no route to https://[key removed]@host/v1"),
        ("no route to https://user:p@55@host/v1", [], "no route to https://[key removed]@host/v1"),
        ("Authorization: Basic  dXNlcjpwYXNz", [], "Authorization: Basic  [key removed]"),
        ("basic\tdXNlcjpwYXNz", [], "basic\t[key removed]"),
        # The password is in UTF-8, as the header's standard allows.
        ("Basic dXNlcjpww6Rzc3dvcmQ=", [], "Basic [key removed]"),
        ("Basic%20dXNlcjpwYXNz was refused", [], "Basic%20[key removed] was refused"),
        ("header=basic%09dXNlcjpwYXNzdw%3D%3D&next", [], "header=basic%09[key removed]&next"),
        ("?auth=Basic+dXNlcjpwYXNz", [], "?auth=Basic+[key removed]"),
        ("no route to user:pa55@host", [], "no route to user:[key removed]@host"),
        ("user:pa55@host:8000/v1 timed out", [], "user:[key removed]@host:8000/v1 timed out"),
        ("(default:s3cret@redis.internal)", [], "(default:[key removed]@redis.internal)"),
        ("see https://host:8000/v1/@latest", [], "see https://host:8000/v1/@latest"),
        ("write to mailto:me2@host.org", [], "write to mailto:me2@host.org"),
        ("Contact: help@host.org or email:help@host.org", [], "Contact: help@host.org or email:help@host.org"),
        ("mixed 1:100@25C, N[C@@H](C)C(=O)O", [], "mixed 1:100@25C, N[C@@H](C)C(=O)O"),
        ("c1:c:c:[C@@H]:c:c1 at 10:30@noon", [], "c1:c:c:[C@@H]:c:c1 at 10:30@noon"),
    ],
)
def test_keys_are_taken_out(text: str, keys: list[str], left: str) -> None:
    assert redact(text, keys) == left


@pytest.mark.parametrize("before", ["", "u", "us", "user:"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("key", [KEY, "canar1", "sevenx7", "eight?>~x"])
def test_keys_are_taken_out_in_base64_wherever_they_begin(before: str, encode: object, key: str) -> None:
    assert callable(encode)
    text = encode(f"{before}{key}".encode()).decode()
    left = redact(f"Authorization: Basic {text} was refused", [key])
    assert "[key removed]" in left
    kept = left.removeprefix("Authorization: Basic ").removesuffix(" was refused").replace("[key removed]", "")
    assert len(kept) <= len(encode(before.encode())) + 3


@pytest.mark.parametrize(
    "text",
    [
        "Basic dXNlcjpwYXNz",
        "basic  dXNlcjpwYXNzd28=",
        "Basic%20dXNlcjpwYXNz",
        "https://user:pa55@host/v1",
        "postgres://:pa55@host",
        "user:pa55@host",
        "user:pa55@host:8000/v1",
    ],
)
def test_a_name_with_a_password_looks_like_a_key(text: str) -> None:
    assert looks_like_key(text)


@pytest.mark.parametrize(
    "text",
    [
        "basic chemistry",
        "Basic questions: answer with one letter.",
        "basic",
        "https://host:8000/v1",
        "mailto:me@host.org",
        "me@host.org",
        "N[C@@H](C)C(=O)O",
        "c1:c:c:[C@@H]:c:c1",
        "a note: write to me@host.org",
    ],
)
def test_ordinary_words_do_not_look_like_a_key(text: str) -> None:
    assert not looks_like_key(text)


@pytest.mark.parametrize(
    "piece",
    [
        "/",
        ":",
        "@",
        "a",
        "//a:",
        "//a:@",
        "basic ",
        "basic a",
        "basic\t",
        "a:",
        " ",
        "=",
        "a.",
        "a@",
        "a:aaa,",
        "%20",
        "basic%20",
    ],
)
def test_a_long_text_is_looked_through_at_once(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    started = time.process_time()
    looks_like_key(text)
    redact(text)
    redact(f"basic{text}//a:{text}")
    assert time.process_time() - started < 0.3


def test_only_the_beginning_of_a_long_text_is_looked_at() -> None:
    assert heard("x" * 250 + KEY[:12] + "y" * 30_000_000, [KEY]) == "x" * 250 + "[key removed]" + "y" * 37
