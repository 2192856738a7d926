"""The picture other sites show beside a link to a board."""

import io
import re

import pytest
from PIL import Image

from leaderboard import share_image
from leaderboard.share_image import HEIGHT, WIDTH, ShareLine, SharePicture, share_png
from tests.leaderboard.factories import make_people, make_run, make_system

pytestmark = pytest.mark.one_database

IMAGE = "/leaderboard/small/share.png"
BOARD = "/leaderboard/small/"
PICTURE = SharePicture("Site", "Set", "10 questions", (ShareLine("A", "model", 0.8, (0.5, 0.9)),), 0.5, False)


def pixels(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content)).convert("RGB")


def meta(html: str, name: str) -> str:
    return re.search(rf'property="{name}"\s+content="([^"]*)"', html).group(1)


def test_the_picture_has_the_size_that_sites_ask_for_and_is_light() -> None:
    content = share_png(PICTURE)
    image = Image.open(io.BytesIO(content))
    assert (image.format, image.size) == ("PNG", (WIDTH, HEIGHT))
    assert len(content) < 60_000


def test_a_bar_is_as_long_as_the_share_and_people_are_a_line() -> None:
    line = ShareLine("A", "model", 0.5, None)
    image = pixels(share_png(SharePicture("Site", "Set", "", (line,), None, False)))
    row = [image.getpixel((x, 240)) for x in range(WIDTH)]
    blue = [x for x, colour in enumerate(row) if colour == (0, 114, 178)]
    grey = [x for x, colour in enumerate(row) if colour == (220, 220, 212)]
    assert len(blue) == pytest.approx(len(blue + grey) / 2, abs=2)
    with_people = pixels(share_png(SharePicture("Site", "Set", "", (line,), 0.8, False)))
    green = {x for x in range(WIDTH) for y in range(226, 290) if with_people.getpixel((x, y)) == (0, 158, 115)}
    assert {round(560 + 0.8 * 450)} <= green


@pytest.mark.parametrize("name", ["x" * 500, "", "分子", "a\nb\0c", "<b>&amp;"])
def test_any_name_can_be_drawn(name) -> None:
    lines = tuple(ShareLine(name, "agent", share, (0.0, 1.0)) for share in (0.0, 0.25, 0.5, 0.75, 1.0))
    assert pixels(share_png(SharePicture(name, name, name, lines, 1.0, True))).size == (WIDTH, HEIGHT)


def test_a_picture_is_drawn_once(monkeypatch) -> None:
    drawn = []
    real = share_image._drawn
    monkeypatch.setattr(share_image, "_drawn", lambda picture: drawn.append(picture) or real(picture))
    assert share_png(PICTURE) == share_png(PICTURE)
    assert len(drawn) == 1


@pytest.mark.django_db
def test_the_board_names_its_picture_and_says_what_is_in_it(client, small_set, settings) -> None:
    settings.SITE_URL = "https://site.example"
    make_run(make_system(slug="ours", name='Ours "one"'), small_set, "++++++++--")
    make_people(small_set, ["+++++-----"] * 5)
    html = client.get(BOARD).content.decode()
    first = meta(html, "og:image")
    assert first.startswith(f"https://site.example{IMAGE}?v=")
    assert meta(html, "og:image:alt") == "Small set: Ours &quot;one&quot; 80.0%; human mean 50.0%"
    response = client.get(IMAGE)
    assert response["Content-Type"] == "image/png"
    assert client.get(IMAGE, headers={"If-None-Match": response["ETag"]}).status_code == 304
    make_run(make_system(slug="other", name="Other"), small_set, "++++++++++")
    assert client.get(IMAGE).content != response.content
    assert meta(client.get(BOARD).content.decode(), "og:image") != first


@pytest.mark.django_db
def test_a_board_that_was_narrowed_has_no_picture_of_another_one(client, small_set) -> None:
    assert "og:image" not in client.get(BOARD, {"kind": "model"}).content.decode()


@pytest.mark.django_db
def test_a_board_without_results_and_an_unknown_one(client, small_set) -> None:
    assert client.get(IMAGE).status_code == 200
    assert "no complete result yet" in client.get(BOARD).content.decode()
    assert client.get("/leaderboard/none/share.png").status_code == 404
