"""A simulated person: opens the personal link, answers to the end, and has the mishaps that people have."""

import http.client
import random
import re
import threading
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urlencode

SHARE_OF_MISHAPS = 0.05
MISHAPS = ("doubled", "dropped", "stale")
LONGEST_WAIT = 120

_FORM = re.compile(r'<form\b[^>]*\bid="question-form".*?</form>', re.DOTALL)
_RULES = re.compile(r"<form\b.*?</form>", re.DOTALL)
_INPUT = re.compile(r"<(?:input|button)\b[^>]*>", re.DOTALL)
_ATTRIBUTE = re.compile(r'\b(type|name|value)="([^"]*)"')
_POSITION = re.compile(r"/question/(\d+)/")

Fields = list[tuple[str, str]]


class UnexpectedPageError(Exception):
    """The site answered with something no person should see."""


@dataclass
class Told:
    """What a person did and saw: seconds by kind of request, mishaps, and what they sent for each assignment."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    mishaps: Counter[str] = field(default_factory=Counter)
    sent: dict[int, Fields] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True)
class Page:
    """An answer of the server."""

    status: int
    location: str
    text: str


class Browser:
    """One person's browser: a connection that is kept, and cookies."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies: dict[str, str] = {}
        self.connection = self.new_connection()

    def new_connection(self) -> http.client.HTTPConnection:
        """Return a second line to the same server."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST_WAIT)

    def get(self, path: str) -> Page:
        """Fetch a page."""
        return self._ask("GET", path, None)

    def post(self, path: str, fields: Fields, connection: http.client.HTTPConnection | None = None) -> Page:
        """Send a form."""
        return self._ask("POST", path, fields, connection)

    def post_and_hang_up(self, path: str, fields: Fields) -> None:
        """Send a form and close the line without waiting for the answer."""
        connection = self.new_connection()
        connection.request("POST", path, urlencode(fields), self._headers(is_form=True))
        connection.close()

    def _ask(
        self, method: str, path: str, fields: Fields | None, connection: http.client.HTTPConnection | None = None
    ) -> Page:
        line = connection or self.connection
        body = None if fields is None else urlencode(fields)
        try:
            line.request(method, path, body, self._headers(is_form=fields is not None))
            answer = line.getresponse()
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
            if method == "POST":
                raise
            # A kept line may have been closed by the server meanwhile; browsers then open another.
            line.close()
            line.request(method, path, body, self._headers(is_form=False))
            answer = line.getresponse()
        text = answer.read().decode()
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                key, _, rest = value.partition("=")
                self.cookies[key] = rest.partition(";")[0]
        return Page(answer.status, answer.getheader("Location", ""), text)

    def _headers(self, *, is_form: bool) -> dict[str, str]:
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if is_form:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            headers["Referer"] = f"http://127.0.0.1:{self.port}/"
        return headers


class Person:
    """Answers a study from the personal link to the end."""

    def __init__(self, *, port: int, slug: str, secret: str, seed: int) -> None:
        self.browser = Browser(port)
        self.slug = slug
        self.secret = secret
        self.random = random.Random(seed)  # noqa: S311 - no secret
        self.told = Told()
        self.last: tuple[str, Fields] | None = None

    def answer_all(self) -> Told:
        """Answer until the end page; what went wrong is told, not raised."""
        try:
            path = self._follow(self.browser.get(f"/survey/resume/{self.secret}/"))
            while not path.endswith("/finish/"):
                path = self._accept_rules(path) if path.endswith("/rules/") else self._answer(path)
        except (UnexpectedPageError, OSError, http.client.HTTPException) as error:
            self.told.problem = f"{type(error).__name__}: {error}"
        return self.told

    def _answer(self, path: str) -> str:
        page = self._timed("page", lambda: self.browser.get(path))
        if page.status != 200:
            return self._follow(page)
        self._timed("empty", lambda: self.browser.get("/empty/"))
        fields = self._filled(page)
        mishap = self.random.choice(MISHAPS) if self.random.random() < SHARE_OF_MISHAPS * len(MISHAPS) else ""
        answer, fields = self._read_back(path, fields)
        if answer is None:
            self._note(fields)
            answer = self._send(path, fields, mishap)
        self.last = (path, fields)
        return self._follow(answer)

    def _read_back(self, path: str, fields: Fields) -> tuple[Page | None, Fields]:
        """Send a number and return the form that reads it back; a choice is sent by `_send` alone.

        Where the same answer had been sent over a line that was dropped, it may be stored meanwhile: then the server
        leads on at once, and that page is returned.
        """
        if "typed_text" not in dict(fields):
            return None, fields
        asked = self._timed("post", lambda: self.browser.post(path, fields))
        if asked.status == 302 and int(dict(fields)["assignment"]) in self.told.sent:
            return asked, fields
        if asked.status != 200:
            raise UnexpectedPageError(f"{asked.status} instead of the number read back")
        return None, _fields(_FORM, asked, ("hidden", "submit"), leave=("change", "larger"))

    def _send(self, path: str, fields: Fields, mishap: str) -> Page:
        if mishap:
            self.told.mishaps[mishap] += 1
        if mishap == "doubled":
            return self._send_twice(path, fields)
        if mishap == "dropped":
            self.browser.post_and_hang_up(path, fields)
            time.sleep(self.random.uniform(0, 0.3))
            return self.browser.get(f"/survey/{self.slug}/continue/")
        if mishap == "stale" and self.last:
            self._send_stale(*self.last)
        return self._timed("post", lambda: self.browser.post(path, fields))

    def _send_twice(self, path: str, fields: Fields) -> Page:
        second: list[Page] = []
        line = self.browser.new_connection()
        other = threading.Thread(target=lambda: second.append(self.browser.post(path, fields, line)))
        other.start()
        first = self._timed("post", lambda: self.browser.post(path, fields))
        other.join()
        line.close()
        for page in (first, *second):
            if page.status != 302:
                raise UnexpectedPageError(f"{page.status} after a doubled post")
        if not second:
            raise UnexpectedPageError("no answer to the second of two posts")
        return first

    def _send_stale(self, path: str, fields: Fields) -> None:
        """Send another answer to the question before, as from a tab left open."""
        changed = [(name, "999" if name in {"typed_text", "read_back"} else value) for name, value in fields]
        page = self.browser.post(path, changed)
        if page.status != 302:
            raise UnexpectedPageError(f"{page.status} after a stale post")

    def _note(self, fields: Fields) -> None:
        """Remember what is sent for a question; sent again after a lost line, the first may have been stored."""
        self.told.sent.setdefault(int(dict(fields)["assignment"]), fields)

    def _filled(self, page: Page) -> Fields:
        fields = _fields(_FORM, page, ("hidden",))
        known = self.told.sent.get(int(dict(fields).get("assignment", "0")))
        letters = [value for name, value in _fields(_FORM, page, ("checkbox",)) if name == "choice"]
        tools = [value for name, value in _fields(_FORM, page, ("checkbox",)) if name == "tools"]
        if letters:
            letter = dict(known)["choice"] if known else self.random.choice(letters)
            fields.append(("choice", letter))
        else:
            fields.append(("typed_text", dict(known)["typed_text"] if known else f"{self.random.uniform(-9, 9):.3f}"))
        if tools:
            fields.append(("tools", tools[0]))
        return fields

    def _accept_rules(self, path: str) -> str:
        page = self.browser.get(path)
        if page.status != 200:
            return self._follow(page)
        return self._follow(self.browser.post(path, _fields(_RULES, page, ("hidden",))))

    def _follow(self, page: Page) -> str:
        """Return the address of the page that a person lands on."""
        if page.status != 302 or not page.location:
            raise UnexpectedPageError(f"{page.status} instead of the way on")
        if page.location.endswith("/continue/"):
            return self._follow(self.browser.get(page.location))
        return page.location

    def _timed(self, kind: str, action) -> Page:  # type: ignore[no-untyped-def]
        start = time.perf_counter()
        page: Page = action()
        self.told.seconds[kind].append(time.perf_counter() - start)
        return page


def _fields(form: re.Pattern[str], page: Page, types: tuple[str, ...], leave: tuple[str, ...] = ()) -> Fields:
    """Return name and value of the inputs of these types in the form of a page."""
    found = form.search(page.text)
    if found is None:
        raise UnexpectedPageError("a page without its form")
    inputs = [dict(_ATTRIBUTE.findall(tag)) for tag in _INPUT.findall(found.group())]
    return [
        (each["name"], unescape(each.get("value", "")))
        for each in inputs
        if each.get("type") in types and each.get("name") and each["name"] not in leave
    ]
