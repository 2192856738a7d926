"""How a question is put to a model: prompt styles by name and version."""

from evaluations.prompts.prepared import PROMPT_ERRORS, Prepared, folded, head_of
from evaluations.prompts.registry import DEFAULT_PROMPT_STYLE, prompt_style, prompt_style_names, prompt_styles
from evaluations.prompts.styles import PromptStyle

__all__ = [
    "DEFAULT_PROMPT_STYLE",
    "PROMPT_ERRORS",
    "Prepared",
    "PromptStyle",
    "folded",
    "head_of",
    "prompt_style",
    "prompt_style_names",
    "prompt_styles",
]
