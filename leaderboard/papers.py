"""The papers whose benchmarks or printed results this site shows: what to cite. Facts only."""

from typing import NamedTuple


class Paper(NamedTuple):
    """What it takes to cite a paper."""

    slug: str
    name: str
    authors: str
    title: str
    published_in: str
    address: str

    @property
    def citation(self) -> str:
        """The citation in one line, without the address."""
        return f"{self.authors}: {self.title}. {self.published_in}."


PAPERS = (
    Paper(
        slug="chembench",
        name="ChemBench",
        authors="A. Mirza, N. Alampara, S. Kunchapu, et al.",
        title="A framework for evaluating the chemical knowledge and reasoning abilities of large language models "
        "against the expertise of chemists",
        published_in="Nature Chemistry 17, 1027–1034 (2025)",
        address="https://doi.org/10.1038/s41557-025-01815-x",
    ),
    Paper(
        slug="chempro",
        name="ChemPro",
        authors="A. Baranwal, S. Vyas",
        title="ChemPro: A Progressive Chemistry Benchmark for Large Language Models",
        published_in="arXiv 2602.03108 (2026)",
        address="https://arxiv.org/abs/2602.03108",
    ),
    Paper(
        slug="chemllmbench",
        name="ChemLLMBench",
        authors="T. Guo, K. Guo, et al.",
        title="What can Large Language Models do in chemistry? A comprehensive benchmark on eight tasks",
        published_in="Advances in Neural Information Processing Systems 36, Datasets and Benchmarks (2023)",
        address="https://arxiv.org/abs/2305.18365",
    ),
)


def paper_of(slug: str) -> Paper | None:
    """Return the paper of that slug, None where there is none."""
    return next((paper for paper in PAPERS if paper.slug == slug), None)
