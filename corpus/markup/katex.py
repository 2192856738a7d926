"""Typesets formulas with KaTeX and mhchem inside an embedded JavaScript engine, without Node or a browser."""

import json
import threading
from functools import lru_cache
from pathlib import Path
from typing import Any

import quickjs

NODE_MODULES = Path(__file__).resolve().parents[2] / "node_modules"
MAX_FORMULA_LENGTH = 2_000
TIME_LIMIT_SECONDS = 2
MEMORY_LIMIT_BYTES = 64 * 1024 * 1024

_SCRIPTS = ("katex/dist/katex.min.js", "katex/dist/contrib/mhchem.min.js")
_RENDER = """
function render(tex, display, macros) {
  try {
    return JSON.stringify([true, katex.renderToString(tex, {
      displayMode: display, output: "htmlAndMathml", throwOnError: true, trust: false, strict: "ignore",
      maxExpand: 1000, maxSize: 20, macros: JSON.parse(macros)
    })]);
  } catch (error) {
    return JSON.stringify([false, String(error.rawMessage || error.message || error)]);
  }
}
"""
# What chemists write and KaTeX does not know.
MACROS = {
    r"\A": r"\text{Å}",
    r"\AA": r"\text{Å}",
    r"\celsius": r"{}^{\circ}\mathrm{C}",
    r"\ohm": r"\Omega",
    r"\micro": r"\mu",
    r"\percent": r"\%",
}
# KaTeX colours these red instead of refusing them when nothing outside is trusted.
_UNTRUSTED = (r"\href", r"\url", r"\includegraphics", r"\htmlClass", r"\htmlId", r"\htmlStyle", r"\htmlData")


class FormulaError(ValueError):
    """KaTeX refused the formula; the message is its own."""


class FormulaLimitError(FormulaError):
    """The formula hit the limit of time or memory; a busy machine can do that to a harmless one."""


class KatexMissingError(RuntimeError):
    """KaTeX is not installed; the message says how to install it."""


@lru_cache(maxsize=4)
def katex_source(node_modules: Path = NODE_MODULES) -> str:
    """Return the scripts of KaTeX and mhchem as one text; raises :class:`KatexMissingError`."""
    try:
        return "\n".join((node_modules / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    except FileNotFoundError as error:
        raise KatexMissingError("KaTeX is not installed: run `npm ci` in the project folder") from error


@lru_cache(maxsize=4)
def katex_version(node_modules: Path = NODE_MODULES) -> str:
    """Return the version of the installed KaTeX, or ``none``."""
    try:
        package = json.loads((node_modules / "katex/package.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return "none"
    return str(package["version"])


class _Engine(threading.local):
    """One JavaScript context per thread, made at its first use and thrown away after a limit was hit."""

    context: Any = None

    def render(self, tex: str, *, display: bool) -> str:
        if self.context is None:
            self.context = _new_context()
        try:
            return str(self.context.get("render")(tex, display, json.dumps(MACROS)))
        except (quickjs.JSException, quickjs.StackOverflow, MemoryError) as error:
            self.context = None
            raise FormulaLimitError("the formula takes too long or too much memory to typeset") from error


_engine = _Engine()


def typeset(tex: str, *, display: bool = False) -> str:
    """Return KaTeX's HTML with MathML inside for ``tex`` (TeX with mhchem, no delimiters).

    Raises :class:`FormulaError` for bad, too long or too costly input and :class:`KatexMissingError`.
    """
    if len(tex) > MAX_FORMULA_LENGTH:
        raise FormulaError(f"the formula is longer than {MAX_FORMULA_LENGTH} characters")
    for macro in _UNTRUSTED:
        if macro in tex:
            raise FormulaError(f"{macro} is not allowed")
    typeset_ok, result = json.loads(_engine.render(tex, display=display))
    if not typeset_ok:
        raise FormulaError(str(result).replace("\N{COMBINING LOW LINE}", ""))
    return str(result)


def _new_context() -> Any:
    context = quickjs.Context()
    context.set_memory_limit(MEMORY_LIMIT_BYTES)
    context.eval(katex_source())
    context.eval(_RENDER)
    context.set_time_limit(TIME_LIMIT_SECONDS)
    return context
