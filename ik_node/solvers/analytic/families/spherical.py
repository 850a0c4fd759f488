"""Arms of six joints with three neighbouring axes that meet in a point."""

try:
    import cython
except ImportError:
    from ik_node.support import cython

from ik_node.solvers.analytic.families import closed_loop
from ik_node.solvers.analytic.families.closed_family import ClosedFamily
from ik_node.solvers.analytic.families.nominal import ClosedForm
from ik_node.solvers.analytic.subproblems import position_triple, rotation_triple, sizes
from ik_node.support.arrays import Rows

if not cython.compiled:
    from ik_node.spatial.vector3 import moved, moved_back, row


class SphericalTriple(ClosedFamily):
    """Three neighbouring axes through a point c, which the triple does not move.

    B (M⁻¹ A M) M⁻¹ c = c places the point; A⁻¹ M B⁻¹ is the rotation of the triple.
    """

    def solve(self, work: ClosedForm, n: int, out: Rows) -> int:
        """Write the joint values of every branch into out; see `ClosedFamily`."""
        axes, points, kind, place = work.axes, work.points, work.kind, self.structure.place
        size, slack = self.structure.size, self.structure.slack
        h1, h2, h3 = row(axes, place), row(axes, place + 1), row(axes, place + 2)
        c = row(points, place)
        if place == 3:  # A c = M c: the axes as they are
            (a, pa), (b, pb) = (row(axes, 0), row(points, 0)), (row(axes, 1), row(points, 1))
            d, pd = row(axes, 2), row(points, 2)
            x, t = c, moved(work.M, c)
        else:
            a, pa = closed_loop.beside(work, place, 0)
            b, pb = closed_loop.beside(work, place, 1)
            d, pd = closed_loop.beside(work, place, 2)
            x, t = moved_back(work.M, c), c
        closed_loop.take_starts(work, place)
        triples = position_triple.place_point(
            kind[(place + 3) % 6], kind[(place + 4) % 6], kind[(place + 5) % 6], a, pa, b, pb, d,
            pd, x, t, work.beside_start, size, slack, work.rotations, work.found)
        w = rotation_triple.across(h2, h3)
        solutions = 0
        for i in range(triples):
            if solutions + 2 > sizes.MOST_BRANCHES:
                break
            closed_loop.take_up(work, place, i, out, solutions)
            count = rotation_triple.make_rotation(
                h1, h2, h3, closed_loop.direction_through(work, place, h3),
                closed_loop.direction_through(work, place, w), work.triple_start, slack,
                work.wrist)
            rotation_triple.into_angles(count, work.wrist)
            solutions = closed_loop.write_triple(work, place, count, n, out, solutions)
        return solutions
