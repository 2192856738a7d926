"""TeX that has a plain counterpart, for readers who get no TeX."""

import re

_GREEK = (
    "alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ "
    "lambda λ mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω "
    "Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω"
)
_SIGNS = (
    "cdot · times × pm ± mp ∓ div ÷ ast * star ⋆ bullet • circ ° degree ° celsius °C A Å AA Å angstrom Å "
    "ohm Ω micro μ percent % hbar ħ ell ℓ infty ∞ partial ∂ nabla ∇ sum ∑ prod ∏ int ∫ propto ∝ sim ~ "
    "simeq ≃ approx ≈ equiv ≡ ne ≠ neq ≠ le ≤ leq ≤ ge ≥ geq ≥ ll ≪ gg ≫ to → rightarrow → longrightarrow → "
    "leftarrow ← longleftarrow ← leftrightarrow ↔ rightleftharpoons ⇌ Rightarrow ⇒ Leftarrow ⇐ "
    "uparrow ↑ downarrow ↓ "
    "in ∈ notin ∉ subset ⊂ cup ∪ cap ∩ forall ∀ exists ∃ ldots … dots … cdots ⋯ prime ′ perp ⊥ parallel ∥ "
    "angle ∠ dagger † ddagger ‡ langle ⟨ rangle ⟩ ominus ⊖ oplus ⊕"
)
_NAMES = "ln log exp sin cos tan lim max min det arg sinh cosh tanh"
_words = f"{_GREEK} {_SIGNS}".split()
_PLAIN = dict(zip(_words[::2], _words[1::2], strict=True)) | {name: name for name in _NAMES.split()}
# TeX drops the space after these, and so does a reader: ``\\Delta H`` is one symbol.
_CLOSE_UP = frozenset(_GREEK.split()[::2]) | {"circ", "degree", "partial", "nabla", "left"}
_PLAIN |= {"left": "", "right": "", "displaystyle": "", "quad": " ", "qquad": " "}
# A macro whose result is only its argument in another typeface.
_WRAPPER_NAMES = (
    "text textrm textit textbf mathrm mathit mathbf mathsf mathcal operatorname ce pu overline bar boldsymbol"
)
_WRAPPERS = frozenset(_WRAPPER_NAMES.split())
_TOKEN = re.compile(r"\\([A-Za-z]+)[ ]*|\\(.)", re.DOTALL)
_ESCAPED = {",": " ", ";": " ", ":": " ", "!": "", " ": " ", "\\": "\n", "|": "‖"}
_CIRCLE_EXPONENT = re.compile(r"(?:\{\})?\^(?:\{\s*\\circ\s*\}|\\circ(?![A-Za-z]))\s*")
_GROUP = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
_FRACTION = re.compile(r"\\[dt]?frac\s*" + _GROUP + r"\s*" + _GROUP)
_WRAPPED = re.compile(r"(?<=[_^])?\\(" + "|".join(sorted(_WRAPPERS)) + r")\s*" + _GROUP)
_SQUARE_ROOT = re.compile(r"\\sqrt\s*" + _GROUP)
_SIMPLE = re.compile(r"[\w.,°·×/ ]*|\([^()]*\)")
_MOST_NESTING = 20


def plain_formula(tex: str) -> str:
    """Return ``tex`` with simple macros written in plain characters; what has no plain form stays."""
    text = _CIRCLE_EXPONENT.sub("°", tex)
    for _level in range(_MOST_NESTING):
        simpler = _SQUARE_ROOT.sub(lambda match: f"√({match.group(1)})", _unwrapped(text))
        simpler = _FRACTION.sub(_fraction, simpler)
        if simpler == text:
            break
        text = simpler
    return _TOKEN.sub(_plain_token, text)


def _unwrapped(text: str) -> str:
    return _WRAPPED.sub(lambda match: _kept_group(text, match), text)


def _kept_group(text: str, match: re.Match[str]) -> str:
    """Keep the braces of a wrapped index or exponent: ``T_\\mathrm{melt}`` becomes ``T_{melt}``."""
    content = match.group(2)
    before = text[match.start() - 1 : match.start()]
    return f"{{{content}}}" if before in {"_", "^"} and len(content) > 1 else content


def _fraction(match: re.Match[str]) -> str:
    return "/".join(_in_brackets(part.strip()) for part in match.groups())


def _in_brackets(text: str) -> str:
    return text if re.fullmatch(r"\w+|\([^()]*\)", text) else f"({text})"


def _plain_token(match: re.Match[str]) -> str:
    name, sign = match.groups()
    if name is None:
        return _ESCAPED.get(sign, sign)
    plain = _PLAIN.get(name)
    if plain is None:
        return match.group()
    trailing = match.group()[1 + len(name) :]
    return plain if name in _CLOSE_UP else plain + trailing
