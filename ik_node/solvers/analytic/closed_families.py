"""The closed form of a structure, by its family."""

from typing import Any

from ik_node.solvers.analytic.families.general import GeneralArm
from ik_node.solvers.analytic.families.nominal import Structure as StructureRecord
from ik_node.solvers.analytic.families.parallel import ParallelTriple
from ik_node.solvers.analytic.families.planar import FreePlanarTriple, PlanarTriple
from ik_node.solvers.analytic.families.spherical import SphericalTriple
from ik_node.solvers.analytic.families.swivel import Swivel
from ik_node.solvers.analytic.structure import (
    GENERAL,
    PARALLEL,
    PLANAR,
    PLANAR_FREE,
    SPHERICAL,
    SWIVEL,
    Structure,
)

_FAMILIES: dict[int, Any] = {
    SPHERICAL: SphericalTriple, PARALLEL: ParallelTriple, PLANAR: PlanarTriple,
    PLANAR_FREE: FreePlanarTriple, SWIVEL: Swivel, GENERAL: GeneralArm}


def closed_family(structure: Structure) -> Any:
    """Return the `ClosedFamily` of an arm."""
    return _FAMILIES[structure.family](StructureRecord(structure))
