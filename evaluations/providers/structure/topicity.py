"""Count atoms that NMR tells apart: by substitution, as topicity is defined.

Two atoms of an element give one signal if marking the one or the other gives the same molecule (homotopic) or mirror
images (enantiotopic). Diastereotopic atoms give two. Conformers, exchange and signals that happen to coincide are left
out. Where the SMILES leaves a configuration open, the count must be the same for every stereoisomer. Cages such
as norbornane, whose atoms cannot be turned one by one, are left undecided.
"""

from collections.abc import Iterator
from typing import Any

from rdkit import Chem
from rdkit.Chem import rdMolDescriptors
from rdkit.Chem.EnumerateStereoisomers import (
    EnumerateStereoisomers,
    StereoEnumerationOptions,
)

MOST_HEAVY_ATOMS = 60
MOST_STEREOISOMERS = 16
_CLOCKWISE, _ANTICLOCKWISE = Chem.ChiralType.CHI_TETRAHEDRAL_CW, Chem.ChiralType.CHI_TETRAHEDRAL_CCW
_MIRRORED = {_CLOCKWISE: _ANTICLOCKWISE, _ANTICLOCKWISE: _CLOCKWISE}
# An element no question is about, of a mass it does not have: in a hydrogen's place it is no hydrogen to RDKit, which
# keeps the geometry at double bonds for it.
_MARK_ELEMENT, _MARK_MASS = 85, 299
_MARKED_CARBON = 99
_TURNED_BY_US = "turned_by_us"


def signals(molecule: Any, symbol: str) -> int | None:
    """Return the number of kinds of atoms of H or C; None for mixtures, large molecules and undecided ones."""
    if len(Chem.GetMolFrags(molecule)) > 1 or molecule.GetNumHeavyAtoms() > MOST_HEAVY_ATOMS:
        return None
    options = StereoEnumerationOptions(maxIsomers=MOST_STEREOISOMERS + 1)
    stereoisomers = list(EnumerateStereoisomers(molecule, options=options))
    if len(stereoisomers) > MOST_STEREOISOMERS:
        return None
    geometries = [_with_every_geometry(each) for each in stereoisomers]
    if any(map(_is_cage, geometries)):
        return None
    counts = (len(set(_kinds(each, symbol))) for each in geometries)
    first = next(counts)
    return first if all(count == first for count in counts) else None


def _kinds(molecule: Any, symbol: str) -> Iterator[str]:
    """Give, for each atom of the element, what marking it makes of the molecule, the same for mirror images."""
    for atom in molecule.GetAtoms():
        if atom.GetSymbol() == symbol:
            marked = Chem.Mol(molecule)
            _mark(marked.GetAtomWithIdx(atom.GetIdx()))
            yield min(_canonical(marked), _canonical(_mirror_image(marked)))


def _mark(atom: Any) -> None:
    if atom.GetSymbol() == "H":
        atom.SetAtomicNum(_MARK_ELEMENT)
        atom.SetIsotope(_MARK_MASS)
    else:
        atom.SetIsotope(_MARKED_CARBON)


def _with_every_geometry(molecule: Any) -> Any:
    """Return a copy with hydrogens, a side given to every atom and double bond that marking could make stereogenic."""
    copy = Chem.AddHs(molecule)
    for atom in copy.GetAtoms():
        is_open = atom.GetChiralTag() == Chem.ChiralType.CHI_UNSPECIFIED
        if is_open and atom.GetDegree() == 4 and atom.GetSymbol() in {"C", "Si", "N", "P"}:
            atom.SetChiralTag(_CLOCKWISE)
            atom.SetBoolProp(_TURNED_BY_US, True)
    for bond in copy.GetBonds():
        if bond.GetBondType() == Chem.BondType.DOUBLE and bond.GetStereo() == Chem.BondStereo.STEREONONE:
            _take_a_side(bond)
    return copy


def _is_cage(molecule: Any) -> bool:
    """Say whether bridges hold ring atoms, or rings share atoms that are no stereocentres, in their only geometry.

    Which geometry that is, the SMILES does not say; and RDKit's SMILES of bridged rings are not always canonical.
    """
    if rdMolDescriptors.CalcNumBridgeheadAtoms(molecule):
        return True
    rings = molecule.GetRingInfo()
    turned = [atom.GetIdx() for atom in molecule.GetAtoms() if atom.HasProp(_TURNED_BY_US)]
    return bool(sum(rings.NumAtomRings(index) > 1 for index in turned) > 1)


def _take_a_side(bond: Any) -> None:
    first, second = bond.GetBeginAtom(), bond.GetEndAtom()
    beside_first = [each.GetIdx() for each in first.GetNeighbors() if each.GetIdx() != second.GetIdx()]
    beside_second = [each.GetIdx() for each in second.GetNeighbors() if each.GetIdx() != first.GetIdx()]
    if beside_first and beside_second and not bond.IsInRing():
        bond.SetStereoAtoms(beside_first[0], beside_second[0])
        bond.SetStereo(Chem.BondStereo.STEREOCIS)


def _mirror_image(molecule: Any) -> Any:
    copy = Chem.Mol(molecule)
    for atom in copy.GetAtoms():
        if mirrored := _MIRRORED.get(atom.GetChiralTag()):
            atom.SetChiralTag(mirrored)
    return copy


def _canonical(molecule: Any) -> str:
    copy = Chem.Mol(molecule)
    # A geometry that was set survives only as directions of the bonds beside it, from which it is perceived anew.
    Chem.SetDoubleBondNeighborDirections(copy)
    for bond in copy.GetBonds():
        bond.SetStereo(Chem.BondStereo.STEREONONE)
    Chem.AssignStereochemistry(copy, cleanIt=True, force=True)
    return str(Chem.MolToSmiles(copy))
