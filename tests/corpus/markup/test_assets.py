import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def assets_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("collect_assets", ROOT / "bin" / "collect_assets.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_browsers_need_is_copied_twice_in_a_row(assets_script: ModuleType, tmp_path: Path) -> None:
    assets_script.collect(ROOT / "node_modules", tmp_path)
    written = assets_script.collect(ROOT / "node_modules", tmp_path)
    css = (tmp_path / "katex/katex.min.css").read_text(encoding="utf-8")
    fonts = {f"fonts/{path.name}" for path in (tmp_path / "katex/fonts").iterdir()}

    assert sorted(written) == sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert (tmp_path / "plotly/plotly-cartesian.min.js").stat().st_size > 100_000
    assert fonts == {piece.split(")")[0] for piece in css.split("url(")[1:]}
    assert all(name.endswith(".woff2") for name in fonts)


def test_missing_packages_are_said_plainly(assets_script: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(assets_script.AssetsMissingError, match="npm ci"):
        assets_script.collect(tmp_path / "node_modules", tmp_path / "assets")


def test_versions_are_exact_and_the_lock_names_no_registry() -> None:
    package = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))
    wanted = package["dependencies"] | package["devDependencies"]

    assert all(version[0].isdigit() for version in wanted.values())
    assert {name: lock["packages"][f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert all("resolved" not in entry for entry in lock["packages"].values())
    assert all("integrity" in entry for name, entry in lock["packages"].items() if name)
