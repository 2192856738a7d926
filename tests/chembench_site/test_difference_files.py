"""The difference report as a table for spreadsheets."""

import csv

import pytest

from chembench_site.difference_files import as_csv
from corpus.services.rescoring.differences import DifferenceLine, DifferenceReport


@pytest.mark.parametrize(
    ("read", "cell"),
    [('=HYPERLINK("http://x")', '\'=HYPERLINK("http://x")'), ("@A", "'@A"), ("-0.5", "-0.5"), ("A", "A")],
)
def test_what_a_model_said_runs_in_no_spreadsheet(read, cell) -> None:
    line = DifferenceLine(
        system="s",
        run="r",
        key="k",
        item=1,
        cause="",
        published_outcome="right",
        outcome="wrong",
        published_read="",
        read=read,
    )
    report = DifferenceReport(rule="a@1", reader="a@1", against="b@1", systems={}, lines=(line,))
    (row,) = csv.DictReader(as_csv(report).splitlines())
    assert (row["read"], row["item"], row["cause"]) == (cell, "1", "(unexplained)")
