"""The closed form of a structure, by its family."""

from typing import Any

from ik_node.kernels.general import GeneralArm
from ik_node.kernels.nominal import Structure as StructureRecord
from ik_node.kernels.parallel import ParallelTriple
from ik_node.kernels.planar import FreePlanarTriple, PlanarTriple
from ik_node.kernels.spherical import SphericalTriple
from ik_node.kernels.swivel import Swivel
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
