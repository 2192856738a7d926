"""The baseline that computes from structures: what it answers, what it leaves, and that its answers are right.

Values in the tables are known ones, or counted by hand; the fixture bank is checked without its key.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from rdkit import Chem

from corpus.models import QuestionRevision
from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, ReadStatus, ShownOption
from corpus.selectors.targets import asked_from_prompt
from evaluations.models import System
from evaluations.prompts import prompt_style
from evaluations.providers import Ask, Endpoint, FinishReason, open_provider
from evaluations.providers.structure import properties
from evaluations.providers.structure.answers import compute, has_structure
from evaluations.providers.structure.molecules import mark_molecules, molecule_of
from evaluations.services.asking import ask_until_done
from evaluations.services.runs import run_create
from evaluations.services.systems import MADE_ON_FIRST_USE
from tests.corpus.factories import make_benchmark, make_question, make_set
from tests.evaluations.banks import demo_benchmark

ASPIRIN, CAFFEINE, ALANINE = "CC(=O)Oc1ccccc1C(=O)O", "Cn1cnc2c1c(=O)n(C)c(=O)n2C", "C[C@H](N)C(=O)O"


def choice(*texts: str) -> Asked:
    return Asked(
        Kind.CHOICE,
        tuple(ShownOption(letter, f"k{letter}", text) for letter, text in zip("ABCDEF", texts, strict=False)),
    )


def answer(question: str, asked: Asked) -> str:
    computed = compute(f"Read this.\n\nQuestion:\n{question}\n", asked)
    return computed.text if computed else ""


NUMBERS = [
    (f"How many carbon atoms are there in the molecule {ASPIRIN}?", "9"),
    (f"How many hydrogen atoms does {ASPIRIN} contain?", "8"),
    (f"What is the number of oxygen atoms in aspirin, {ASPIRIN}?", "4"),
    (f"How many atoms are in the molecule with SMILES {ASPIRIN}?", "21"),
    (f"What is the total number of heavy atoms of {ASPIRIN}?", "13"),
    (f"How many heteroatoms does the molecule {CAFFEINE} have?", "6"),
    ("How many halogen atoms has ClCC(F)(F)Br?", "4"),
    (f"How many rings does caffeine, [START_SMILES]{CAFFEINE}[END_SMILES], contain?", "2"),
    ("How many aromatic rings are in C1CCC2CCCCC2C1?", "0"),
    ("How many stereocentres does OCC1OC(O)C(O)C(O)C1O have?", "5"),
    (f"How many chiral centers are in {ALANINE}?", "1"),
    # Cyclohexane-1,4-diol: two stereogenic atoms, neither with four different neighbours.
    ("How many stereogenic centres are in OC1CCC(O)CC1?", "2"),
    ("How many chiral centres are in OC1CCC(O)CC1?", ""),
    (f"What is the degree of unsaturation of {ASPIRIN}?", "6"),
    ("What is the degree of unsaturation of C#N.CC?", ""),
    # IUPAC 2021 standard atomic weights; PubChem CID 2244.
    (f"What is the molar mass of {ASPIRIN} in g/mol?", "180.159"),
    # PubChem CID 2519: 194.08037557.
    (f"What is the monoisotopic mass of {CAFFEINE}?", "194.0804"),
    ("How many hydrogen-bond donors does CC(N)=O have?", "1"),
    ("How many hydrogen bond acceptors does CC(C)=O have?", "1"),
    # Ethanol, p-xylene, ethyl acetate, toluene: counted by hand.
    ("How many signals are in the 1H NMR spectrum of CCO?", "3"),
    ("How many \\ce{^{1}H} NMR signals do you expect for Cc1ccc(C)cc1?", "2"),
    ("What is the number of peaks in the ^1H NMR spectrum of a molecule with SMILES CCOC(C)=O?", "3"),
    ("How many $^{13}$C NMR signals do you expect for Cc1ccccc1?", "5"),
    ("How many different 13C NMR signals should Cc1ccc(C)cc1 show?", "3"),
]


@pytest.mark.parametrize(("question", "expected"), NUMBERS)
def test_a_number_is_computed(question: str, expected: str) -> None:
    assert answer(question, Asked(Kind.NUMBER)) == expected


LEFT = [
    "How many sp2 carbon atoms are there in CCO=C?",
    "How many carbon atoms are sp2 hybridised in C=CCO?",
    "How many rings are in the product of C1CC1 with HBr?",
    "How many 1H NMR signals does CCO show after exchange with D2O?",
    "How many aromatic proton signals has Cc1ccccc1?",
    "How many carbon atoms do CCO and CCC have together?",
    "How many carbon atoms does ethanol have?",
    "What is the molar mass of ethanol?",
    "What is the boiling point of CCO?",
    "How many stereoisomers are possible for CC(O)C(O)C?",
    "How many rings are formed from C1CC1?",
    "Not how many rings are in C1CC1?",
    "How many signals are in the 31P NMR spectrum of CP(C)C?",
    "How many rings are in C1CC?",
    "",
]


@pytest.mark.parametrize("question", LEFT)
def test_words_that_may_change_the_meaning_leave_it_unanswered(question: str) -> None:
    assert not answer(question, Asked(Kind.NUMBER))
    assert not answer(question, choice("0", "1", "2", "3"))


CHOICES = [
    (f"What is the molecular formula of {CAFFEINE}?", ("\\ce{C8H10N2O4}", "\\ce{C8H10N4O2}"), "B"),
    (f"What is the molecular formula of {CAFFEINE}?", ("C8H10N4O2", "$C_8H_{10}N_4O_2$"), ""),
    ("How many rings are in C1CC1?", ("zero", "$1$", "two"), "B"),
    ("How many rings are in C1CC1?", ("2", "3"), ""),
    (f"What is the molecular weight of {ASPIRIN}?", ("180.2 g/mol", "179.2 g/mol", "\\pu{18.0 g/mol}"), "A"),
    ("Which isomer gives exactly two signals in its 13C NMR spectrum?", ("CC(C)C", "CCCC", "CCC"), ""),
    ("Which isomer of \\ce{C4H10} shows two signals in its 13C NMR spectrum?", ("CCCCC", "C1CCC1", "CCC"), ""),
    ("Which compound has two rings?", ("C1CC1", "C1CC2CC12", "CCC"), "B"),
    ("Which of these compounds are aromatic?", ("c1ccccc1", "C1=CC=CC1", "c1ccoc1"), "A, C"),
    ("Which of these is aromatic?", ("c1ccccc1", "C1=CC=CC1", "c1ccoc1"), ""),
    ("Which of these rings are not aromatic?", ("c1ccccc1", "C1=CC=CC1"), ""),
    ("Which structure is (Z)-but-2-ene?", ("C/C=C/C", "C/C=C\\C", "CC=CC"), "B"),
    ("Which structure is cis-but-2-ene?", ("C/C=C/C", "C/C=C\\C"), ""),
    ("Which structure shows (R)-alanine?", ("C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O"), "B"),
    ("Which structure shows (R)-alanine?", ("C[C@@H](N)C(=O)O", "CC[C@@H](N)C(=O)O"), ""),
    (
        f"What is a valid name for a molecule with the SMILES {ALANINE}?",
        ("(2S)-2-aminopropanoic acid", "(2R)-2-aminopropanoic acid", "glycine"),
        "A",
    ),
]


@pytest.mark.parametrize(("question", "options", "letters"), CHOICES)
def test_the_option_that_equals_the_computed_value_is_chosen(
    question: str, options: tuple[str, ...], letters: str
) -> None:
    assert answer(question, choice(*options)) == letters


MARKED = [
    ("of CCO, and NO or I or CO?", ("CCO",)),
    ("with SMILES CO.", ("CO",)),
    ("with the SMILES: [Na+].[Cl-]?", ("[Na+].[Cl-]",)),
    ("the ion [M+H]+ of \\ce{C8H10} (E)-x", ()),
    ("[START_RXNSMILES]CCO>>CC=O[END_RXNSMILES]", ()),
    ("[START_SMILES] CO [END_SMILES] and CCO", ("CO",)),
]


@pytest.mark.parametrize(("text", "smiles"), MARKED)
def test_molecules_are_found_in_prose(text: str, smiles: tuple[str, ...]) -> None:
    assert mark_molecules(text).smiles == smiles


SOME = (ASPIRIN, CAFFEINE, ALANINE, "CC#N", "C[N+](=O)[O-]", "c1ccc2ccccc2c1", "FC(Cl)Br", "O=S(C)C", "CC=CC", "C=C=C")


@pytest.mark.parametrize("smiles", SOME)
def test_counts_agree_with_the_formula(smiles: str) -> None:
    molecule = molecule_of(smiles)
    counts: Counter[str] = Counter()
    for symbol, number in re.findall(r"([A-Z][a-z]?)(\d*)", properties.formula(molecule)):
        counts[symbol] += int(number or 1)
    assert properties.atoms(molecule) == counts.total()
    assert properties.heteroatoms(molecule) == counts.total() - counts["C"] - counts["H"]
    # Nitrogen three-valent, oxygen and sulfur two-valent; a sulfoxide drawn S=O has one more.
    from_formula = (2 * counts["C"] + 2 + counts["N"] - counts["H"] - counts["F"] - counts["Cl"] - counts["Br"]) / 2
    assert properties.unsaturation(molecule) == from_formula + (smiles == "O=S(C)C")


# Signals by the rules of topicity, counted by hand: protons, carbons.
SIGNALS = [
    ("CC(=O)OC(C)C", 3, 4),
    ("C=CC", 4, 3),
    ("C=C(C)C", 2, 3),
    ("CC=C(C)C", 4, 5),
    ("C=C=C", 1, 2),
    ("C1CC1", 1, 1),
    ("CC(C)O", 3, 2),
    ("CCC(C)Cl", 5, 4),
    ("CC(C)C(N)C(=O)O", 6, 5),
    # Menthol: ten lines in the spectrum, the methyls of its isopropyl group apart.
    ("C[C@@H]1CC[C@H]([C@@H](C1)O)C(C)C", 14, 10),
    # Meso and chiral pentane-2,4-diol.
    ("C[C@H](O)C[C@@H](C)O", 5, 3),
    ("C[C@H](O)C[C@H](C)O", 4, 3),
    # The same without its configuration, which would decide, and a mixture.
    ("CC(O)CC(C)O", None, 3),
    ("CO.CO", None, None),
    # A spiro atom, a fused ring, and cages: norbornane, cubane.
    ("C1CCC2(CC1)CC2", 4, 5),
    ("c1ccc2c(c1)CCC2", 4, 5),
    ("C1CC2CCC1C2", None, None),
    ("C12C3C4C1C5C2C3C45", None, None),
]


@pytest.mark.parametrize(("smiles", "protons", "carbons"), SIGNALS)
def test_signals_are_counted_by_topicity(smiles: str, protons: int | None, carbons: int | None) -> None:
    molecule = molecule_of(smiles)
    assert (properties.proton_signals(molecule), properties.carbon_signals(molecule)) == (protons, carbons)


def revisions_with_prompts() -> list[tuple[QuestionRevision, str, Asked]]:
    demo_benchmark()
    rows = []
    for revision in QuestionRevision.objects.select_related("question").prefetch_related("options"):
        prepared = prompt_style("instruction@1").prepare(revision, ())
        rows.append((revision, prepared.prompt, asked_from_prompt(revision, prepared.options_shown, prepared.prompt)))
    return rows


def carbon_classes(smiles: str) -> int:
    """Count kinds of carbon another way: mark each one, count the different molecules that come out."""
    molecule = Chem.MolFromSmiles(smiles)
    seen = set()
    for atom in (each for each in molecule.GetAtoms() if each.GetSymbol() == "C"):
        copy = Chem.Mol(molecule)
        copy.GetAtomWithIdx(atom.GetIdx()).SetIsotope(13)
        seen.add(Chem.MolToSmiles(copy))
    return len(seen)


def legacy_choice(options: Mapping[str, str], label: str) -> list[str]:
    """Return which options have just this descriptor by RDKit's older algorithm."""
    return [letter for letter, smiles in options.items() if legacy_labels(smiles) == label]


def legacy_labels(smiles: str) -> str:
    """Return the descriptors by RDKit's older algorithm."""
    molecule = Chem.MolFromSmiles(smiles)
    Chem.AssignStereochemistry(molecule, cleanIt=True, force=True)
    bonds = [
        str(bond.GetStereo())[-1] for bond in molecule.GetBonds() if bond.GetStereo() != Chem.BondStereo.STEREONONE
    ]
    return "".join([label for _, label in Chem.FindMolChiralCenters(molecule)] + bonds)


# What is right for each question of the fixture bank that is answered, as a check on the reply: by another way of
# computing, or by a fact with its source.
CHECKS: dict[str, Any] = {
    # Monoisotopic masses of the IUPAC table: C 12, H 1.00782503, N 14.00307400, O 15.99491462; a proton 1.00727647.
    "protonated_mass_1": lambda said, options: (
        abs(float(said) - (8 * 12 + 10 * 1.00782503 + 4 * 14.00307400 + 2 * 15.99491462 + 1.00727647)) < 1e-4
    ),
    "carbon_lines_1": lambda said, options: [
        letter for letter, smiles in options.items() if carbon_classes(smiles) == 3
    ] == [said],
    # Isopropyl acetate: acetyl methyl, methine, and the two equivalent methyls.
    "proton_sets_1": lambda said, options: said == "3",
    "alkene_geometry_1": lambda said, options: legacy_choice(options, "E") == [said],
    "lactic_acid_1": lambda said, options: legacy_choice(options, "S") == [said],
    # Menthol is (1R,2S,5R)-5-methyl-2-(propan-2-yl)cyclohexan-1-ol: three descriptors.
    "centres_1": lambda said, options: int(said) == len("RSR"),
    # Hückel by hand: cyclobutadiene 4, tropylium 6, cyclooctatetraene 8, cyclopentadienide 6, pyrrole 6 electrons.
    "aromatic_1": lambda said, options: [options[letter] for letter in said.split(", ")] == [
        smiles for smiles in options.values() if smiles in {"C1=CC=C[CH+]C=C1", "[CH-]1C=CC=C1", "N1C=CC=C1"}
    ],
}  # fmt: skip


@pytest.mark.django_db
def test_the_fixture_bank_is_answered_rightly_where_it_can_be() -> None:
    eligible, answered = 0, []
    for revision, prompt, asked in revisions_with_prompts():
        eligible += has_structure(prompt, asked)
        if computed := compute(prompt, asked):
            assert has_structure(prompt, asked)
            stem = revision.question.key.split("-")[1]
            assert CHECKS[stem](computed.text, {option.letter: option.text for option in asked.shown}), stem
            answered.append(stem)
    assert len(answered) >= 0.4 * eligible
    assert len(answered) > 5


def test_the_answer_does_not_depend_on_what_a_model_does_not_see() -> None:
    asked = choice("C1CC1", "CCC")
    renamed = Asked(
        Kind.CHOICE, tuple(ShownOption(each.letter, f"other-{each.key}", each.text) for each in asked.shown)
    )
    assert answer("Which compound has one ring?", asked) == answer("Which compound has one ring?", renamed) == "A"


def test_what_it_does_not_know_it_says() -> None:
    async def go(prompt: str) -> Any:
        async with open_provider("structure", Endpoint("structure@1")) as provider:
            return await provider.ask(Ask(prompt, Asked(Kind.NUMBER), {}))

    known, unknown = (asyncio.run(go(prompt)) for prompt in ("How many rings are in C1CC1?", "What is the pH of CCO?"))
    assert (known.text, known.reasoning) == ("[ANSWER]1[/ANSWER]", "rings of C1CC1: 1")
    assert (unknown.text, unknown.finish_reason) == ("I do not know", FinishReason.STOP)
    read = read_answer(text=unknown.text, asked=Asked(Kind.NUMBER), finish_reason="stop")
    assert read.status is ReadStatus.DO_NOT_KNOW


@pytest.mark.django_db
def test_a_run_stores_its_answers_with_their_outcomes() -> None:
    benchmark = make_benchmark()
    stems = ("How many rings are in C1CC1?", "How many rings are in CCCC?", "What is the pH of water?")
    questions = [make_question(benchmark, kind="number", stem=stem, target="1") for stem in stems]
    system = MADE_ON_FIRST_USE["structure"]()
    assert (system.kind, system.provider) == (System.Kind.BASELINE, "structure")
    revision = make_set(benchmark, revisions=questions).current_revision
    assert revision is not None
    run = run_create(system=system, set_revision=revision)
    ask_until_done(run_id=run.pk)
    assert list(run.items.order_by("position").values_list("outcome", flat=True)) == ["right", "wrong", "do_not_know"]
