#!/usr/bin/env python3
"""Copies what browsers need out of ``node_modules/`` into ``assets/`` (both ignored by git).

Usage, after ``npm ci``, from anywhere: ``python bin/collect_assets.py``. Standard library only. It writes

- ``assets/katex/katex.min.css`` (only its woff2 fonts kept) and ``assets/katex/fonts/*.woff2``
- ``assets/plotly/plotly-cartesian.min.js``

and replaces what an earlier run wrote. Exits with 1 and a plain message when ``npm ci`` has not been run.
"""

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

_OTHER_FONT = re.compile(r",url\([^)]*\.(?:woff|ttf)\)\s*format\([^)]*\)")


class AssetsMissingError(RuntimeError):
    """A file that npm should have brought is not there."""


def keep_woff2_only(css: str) -> str:
    """Return the style sheet without the font addresses that would not be served."""
    return _OTHER_FONT.sub("", css)


def collect(node_modules: Path, assets: Path) -> list[Path]:
    """Copy the files and return where they are; raises :class:`AssetsMissingError`."""
    katex = node_modules / "katex" / "dist"
    plotly = node_modules / "plotly.js-cartesian-dist-min" / "plotly-cartesian.min.js"
    fonts = sorted((katex / "fonts").glob("*.woff2"))
    style = katex / "katex.min.css"
    if not (style.is_file() and plotly.is_file() and fonts):
        raise AssetsMissingError("KaTeX or Plotly is missing from node_modules: run `npm ci` first")
    for folder in ("katex", "plotly"):
        shutil.rmtree(assets / folder, ignore_errors=True)
    (assets / "katex" / "fonts").mkdir(parents=True)
    (assets / "plotly").mkdir()
    written = [assets / "katex" / style.name]
    written[0].write_text(keep_woff2_only(style.read_text(encoding="utf-8")), encoding="utf-8")
    written += [Path(shutil.copyfile(font, assets / "katex" / "fonts" / font.name)) for font in fonts]
    return [*written, Path(shutil.copyfile(plotly, assets / "plotly" / plotly.name))]


def main() -> int:
    try:
        written = collect(ROOT / "node_modules", ROOT / "assets")
    except AssetsMissingError as error:
        print(error, file=sys.stderr)
        return 1
    size = sum(path.stat().st_size for path in written)
    print(f"{len(written)} files, {size / 1e6:.1f} MB in assets/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
