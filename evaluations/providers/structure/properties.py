"""What is computed from a molecule. Every function takes an RDKit molecule; None: it is not defined for this one.

Conventions, where chemists have more than one:

- NMR signals are kinds of atoms by topicity (`topicity.py`): diastereotopic protons and carbons count as two,
  enantiotopic ones as one; exchange and signals that happen to coincide are ignored.
- Rings are those of the smallest set. Stereocentres are tetrahedral atoms that are or could be stereogenic.
- Hydrogen-bond donors and acceptors are RDKit's definitions. Molar masses use standard atomic weights.
"""

from collections import Counter
from typing import Any

from rdkit import Chem
from rdkit.Chem import Descriptors, rdCIPLabeler, rdMolDescriptors

from evaluations.providers.structure.topicity import signals

# Unified atomic mass units (CODATA 2018); 22.98976928 is sodium-23.
ELECTRON_MASS = 0.000548579909
PROTON_MASS = 1.007276466621
SODIUM_ION_MASS = 22.98976928 - ELECTRON_MASS


def formula(molecule: Any) -> str:
    """Return the molecular formula in Hill's order, charge at the end."""
    return str(rdMolDescriptors.CalcMolFormula(molecule))


def molar_mass(molecule: Any) -> float:
    """Return the molar mass in grams per mole."""
    return float(rdMolDescriptors._CalcMolWt(molecule))


def exact_mass(molecule: Any) -> float:
    """Return the mass in unified atomic mass units, each element's most abundant isotope taken."""
    return float(rdMolDescriptors.CalcExactMolWt(molecule))


def atoms(molecule: Any, symbol: str = "") -> int:
    """Return the number of atoms of an element, hydrogens included; of all atoms without a symbol."""
    with_hydrogens = Chem.AddHs(molecule)
    counts = Counter(str(atom.GetSymbol()) for atom in with_hydrogens.GetAtoms())
    return counts[symbol] if symbol else counts.total()


def heavy_atoms(molecule: Any) -> int:
    """Return the number of atoms that are no hydrogen."""
    return int(molecule.GetNumHeavyAtoms())


def heteroatoms(molecule: Any) -> int:
    """Return the number of atoms that are neither carbon nor hydrogen."""
    return int(rdMolDescriptors.CalcNumHeteroatoms(molecule))


def halogens(molecule: Any) -> int:
    """Return the number of atoms of F, Cl, Br and I."""
    return sum(atoms(molecule, symbol) for symbol in ("F", "Cl", "Br", "I"))


def rings(molecule: Any) -> int:
    """Return the number of rings."""
    return int(rdMolDescriptors.CalcNumRings(molecule))


def aromatic_rings(molecule: Any) -> int:
    """Return the number of rings whose bonds are all aromatic."""
    return int(rdMolDescriptors.CalcNumAromaticRings(molecule))


def is_aromatic(molecule: Any) -> bool:
    """Say whether there is an aromatic ring."""
    return aromatic_rings(molecule) > 0


def stereocentres(molecule: Any) -> int:
    """Return the number of tetrahedral stereocentres, whether the SMILES states their configuration or not."""
    copy = Chem.Mol(molecule)
    found = Chem.FindPotentialStereo(copy, flagPossible=True)
    return sum(info.type == Chem.StereoType.Atom_Tetrahedral for info in found)


def chiral_centres(molecule: Any) -> int | None:
    """Return the number of atoms with four different neighbours; None where others are stereogenic as well."""
    with_hydrogens = Chem.AddHs(molecule)
    ranks = list(Chem.CanonicalRankAtoms(with_hydrogens, breakTies=False, includeChirality=False))
    around = ([ranks[each.GetIdx()] for each in atom.GetNeighbors()] for atom in with_hydrogens.GetAtoms())
    count = sum(len(neighbours) == len(set(neighbours)) == 4 for neighbours in around)
    return count if count == stereocentres(molecule) else None


def unsaturation(molecule: Any) -> int | None:
    """Return rings plus multiple bonds (two for a triple bond); None for ions, radicals and mixtures."""
    if not _is_one_neutral(molecule):
        return None
    copy = Chem.Mol(molecule)
    Chem.Kekulize(copy, clearAromaticFlags=True)
    pi_bonds = sum(round(bond.GetBondTypeAsDouble()) - 1 for bond in copy.GetBonds())
    return int(copy.GetNumBonds() - copy.GetNumAtoms() + 1 + pi_bonds)


def proton_signals(molecule: Any) -> int | None:
    """Return the number of 1H NMR signals by symmetry; None for mixtures and undecided stereoisomers."""
    return signals(molecule, "H")


def carbon_signals(molecule: Any) -> int | None:
    """Return the number of 13C NMR signals by symmetry; None for mixtures and undecided stereoisomers."""
    return signals(molecule, "C")


def protonated_mass(molecule: Any) -> float | None:
    """Return m/z of [M+H]+, or None for ions and mixtures."""
    return exact_mass(molecule) + PROTON_MASS if _is_one_neutral(molecule) else None


def deprotonated_mass(molecule: Any) -> float | None:
    """Return m/z of [M-H]-, or None for ions, mixtures and molecules without hydrogen."""
    return exact_mass(molecule) - PROTON_MASS if _is_one_neutral(molecule) and atoms(molecule, "H") else None


def sodiated_mass(molecule: Any) -> float | None:
    """Return m/z of [M+Na]+, or None for ions and mixtures."""
    return exact_mass(molecule) + SODIUM_ION_MASS if _is_one_neutral(molecule) else None


def donors(molecule: Any) -> int:
    """Return the number of hydrogen-bond donors."""
    return int(rdMolDescriptors.CalcNumHBD(molecule))


def acceptors(molecule: Any) -> int:
    """Return the number of hydrogen-bond acceptors."""
    return int(rdMolDescriptors.CalcNumHBA(molecule))


def stereo_labels(molecule: Any) -> tuple[str, ...]:
    """Return the descriptors R, S, r, s, E and Z that the SMILES states, sorted, without their places."""
    copy = Chem.Mol(molecule)
    rdCIPLabeler.AssignCIPLabels(copy)
    parts: list[Any] = [*copy.GetAtoms(), *copy.GetBonds()]
    labels = (part.GetProp("_CIPCode") for part in parts if part.HasProp("_CIPCode"))
    return tuple(sorted(labels))


def _is_one_neutral(molecule: Any) -> bool:
    # A nitro group is written with charges that cancel; the whole counts.
    is_neutral = Chem.GetFormalCharge(molecule) == 0 and not Descriptors.NumRadicalElectrons(molecule)
    return is_neutral and len(Chem.GetMolFrags(molecule)) == 1
