"""The picture that other sites show beside a link to a board: its best few systems, drawn on the server."""

import hashlib
import io
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.cache import cache

from leaderboard.boards import DEMO_TAG, HUMAN, Row, tagged
from leaderboard.queries import Board

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

WIDTH, HEIGHT = 1200, 630
MOST_ROWS = 5
_MARGIN = 64
_BARS_FROM, _BARS_TO = 560, 1010
_TOP, _STEP, _BAR = 236, 62, 34
_NAME_SIZE = 28
_KEEP_SECONDS = 86_400
# Raised when the drawing changes: pictures are kept by what is in them.
_DRAWING = 2
_PAGE, _TEXT, _QUIET, _LINE, _HUMAN = "#fdfdfb", "#1c1e21", "#565a60", "#dcdcd4", "#009e73"
_COLOURS = {"model": "#0072b2", "agent": "#d55e00", "baseline": "#70757a"}


@dataclass(frozen=True, slots=True)
class ShareLine:
    """A system in the picture, its name with a tag where it is made up; shares of 1."""

    name: str
    kind: str
    accuracy: float
    bounds: tuple[float, float] | None
    is_demo: bool = False


@dataclass(frozen=True, slots=True)
class SharePicture:
    """What the picture says; `is_demo` where nothing in it is real, `why_nobody` has a rank where no line is drawn."""

    site: str
    title: str
    about: str
    lines: tuple[ShareLine, ...]
    human_mean: float | None
    is_demo: bool
    are_people_demo: bool = False
    why_nobody: str = ""

    @property
    def human_words(self) -> str:
        """The mean of people in words; empty where there is none."""
        tag = DEMO_TAG if self.are_people_demo else ""
        return "" if self.human_mean is None else f"human mean {self.human_mean:.1%}{tag}"

    @property
    def words(self) -> str:
        """The same in words, for whoever does not see it."""
        best = ", ".join(f"{line.name} {line.accuracy:.1%}" for line in self.lines) or self.why_nobody
        people = f"; {self.human_words}" if self.human_words else ""
        return f"{self.title}: {best}{people}{' (demo data)' if self.is_demo else ''}"


def share_picture(board: Board) -> SharePicture:
    """Return what is said of a whole board: its best systems, and the mean of people as the board shows it."""
    best = [row for row in board.rows if row.rank is not None and row.kind != HUMAN][:MOST_ROWS]
    people = board.people_with_accuracy
    drawn = [*best, *([people] if people else [])]
    return SharePicture(
        site=settings.SITE_NAME,
        title=board.question_set.name,
        about=f"{board.n_questions:,} questions of {board.question_set.benchmark.name}, right answers in %",
        lines=tuple(_line(row) for row in best),
        human_mean=None if people is None else float(people.estimate.accuracy or 0),
        is_demo=board.question_set.benchmark.is_demo or (bool(drawn) and all(row.is_demo for row in drawn)),
        are_people_demo=people is not None and people.is_demo,
        why_nobody=board.why_nobody,
    )


def share_png(picture: SharePicture) -> bytes:
    """Return the picture as a PNG file, drawn once for each content."""
    key = f"share-image:{hashlib.sha256(repr((_DRAWING, picture)).encode()).hexdigest()}"
    found: bytes | None = cache.get(key)
    if found is None:
        found = _drawn(picture)
        cache.set(key, found, _KEEP_SECONDS)
    return found


def _line(row: Row) -> ShareLine:
    name = f"{row.name} ({row.slug})" if row.name_repeats else row.name
    return ShareLine(tagged(row, name), row.kind, float(row.estimate.accuracy or 0), row.estimate.bounds, row.is_demo)


def _drawn(picture: SharePicture) -> bytes:
    # Only this picture needs it; pages do not wait for it.
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (WIDTH, HEIGHT), _PAGE)
    draw = ImageDraw.Draw(image)
    _heading(draw, picture)
    for number, line in enumerate(picture.lines):
        _bar(draw, line, y=_TOP + _STEP * number)
    if not picture.lines:
        draw.text((_MARGIN, _TOP), f"{picture.why_nobody.capitalize()}.", font=_font(30), fill=_QUIET)
    elif picture.human_mean is not None:
        _human_mean(draw, picture.human_mean, picture.human_words, y=_TOP + _STEP * len(picture.lines))
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


def _heading(draw: "ImageDraw", picture: SharePicture) -> None:
    room = WIDTH - 2 * _MARGIN
    draw.text((_MARGIN, 48), _cut(picture.site, 26, room), font=_font(26), fill=_QUIET)
    draw.text((_MARGIN, 92), _cut(picture.title, 54, room), font=_font(54), fill=_TEXT)
    draw.text((_MARGIN, 168), _cut(picture.about, 26, room), font=_font(26), fill=_QUIET)
    if picture.is_demo:
        draw.text((WIDTH - _MARGIN, 48), "DEMO DATA", font=_font(26), fill=_COLOURS["agent"], anchor="ra")


def _bar(draw: "ImageDraw", line: ShareLine, *, y: int) -> None:
    middle = y + _BAR // 2
    draw.text((_MARGIN, middle), drawn_name(line), font=_font(_NAME_SIZE), fill=_TEXT, anchor="lm")
    draw.rectangle((_BARS_FROM, y, _BARS_TO, y + _BAR), fill=_LINE)
    draw.rectangle((_BARS_FROM, y, _x(line.accuracy), y + _BAR), fill=_COLOURS.get(line.kind, _COLOURS["baseline"]))
    if line.bounds:
        low, high = (_x(bound) for bound in line.bounds)
        draw.line((low, middle, high, middle), fill=_TEXT, width=3)
        for end in (low, high):
            draw.line((end, middle - 7, end, middle + 7), fill=_TEXT, width=3)
    draw.text((WIDTH - _MARGIN, middle), f"{line.accuracy:.1%}", font=_font(32), fill=_TEXT, anchor="rm")


def drawn_name(line: ShareLine) -> str:
    """Return a name as there is room for it: what is cut of a long one is never the tag of demo data."""
    tag = DEMO_TAG if line.is_demo else ""
    room = _BARS_FROM - _MARGIN - 24 - _font(_NAME_SIZE).getlength(tag)
    return _cut(line.name.removesuffix(tag), _NAME_SIZE, room) + tag


def _human_mean(draw: "ImageDraw", mean: float, words: str, *, y: int) -> None:
    x = _x(mean)
    for top in range(_TOP - 10, y, 14):
        draw.line((x, top, x, min(top + 8, y)), fill=_HUMAN, width=4)
    half = int(_font(26).getlength(words)) // 2 + 1
    draw.text(
        (min(max(x, _BARS_FROM + half), WIDTH - _MARGIN - half), y + 4), words, font=_font(26), fill=_HUMAN, anchor="ma"
    )


def _x(share: float) -> int:
    return round(_BARS_FROM + share * (_BARS_TO - _BARS_FROM))


def _cut(text: str, size: int, room: float) -> str:
    """Return the text on one line, cut where there is no more room."""
    text = " ".join(text.split())[:200]
    if _font(size).getlength(text) <= room:
        return text
    while text and _font(size).getlength(f"{text}…") > room:
        text = text[:-1]
    return f"{text.rstrip()}…"


@lru_cache(maxsize=16)
def _font(size: int) -> Any:
    """Return the typeface that comes with Pillow: no file of the machine is needed."""
    from PIL import ImageFont

    return ImageFont.load_default(size)
