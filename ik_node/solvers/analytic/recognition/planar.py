"""Recognition of planar arms and SCARAs."""

import numpy as np

from ik_node.kinematics.kinds import PRISMATIC, REVOLUTE
from ik_node.solvers.analytic.recognition.description import Recognised, letters
from ik_node.solvers.analytic.recognition.joints import NOT_THERE, Joints
from ik_node.solvers.analytic.recognition.nominal import slack_of, with_common_direction
from ik_node.solvers.analytic.structure import PLANAR, Structure
from ik_node.spatial import inverse


def recognise_planar(own: Joints, T_base_tip: np.ndarray, size: float) -> Recognised | None:
    """Return a planar arm, or a SCARA; None where the chain is neither."""
    revolute = np.flatnonzero(own.kind == REVOLUTE)
    prismatic = np.flatnonzero(own.kind == PRISMATIC)
    if len(revolute) < 2 or len(prismatic) > 1:
        return None
    nominal = with_common_direction(own, [*revolute.tolist(), *prismatic.tolist()])
    if nominal is None:
        return None
    joints, tip = nominal.joints, T_base_tip[:3, 3]
    locked = revolute[3:]  # the first three joints are solved for
    if len(revolute) == 2:  # a third, virtual axis through the tip
        joints = joints.followed_by(Joints(np.array([REVOLUTE]), joints.axes[revolute[:1]],
                                           tip[None], np.array([NOT_THERE])))
        ends = [*joints.points[revolute], tip]
    else:
        ends = [*joints.points[revolute], tip]
    h = joints.axes[revolute[0]]
    links = np.diff(ends, axis=0)
    lengths = np.linalg.norm(links - (links @ h)[:, None] * h, axis=1)
    if lengths[:2].min() < 1e-9 * size:
        return None
    locks = np.full(len(joints.kind), -1)
    locks[locked] = np.arange(len(locked))
    structure = Structure(PLANAR, 0, size, slack_of(nominal.angle, 0.0, size), inverse(T_base_tip),
                          joints.kind, joints.column, locks, joints.axes, joints.points)
    name = f'planar {len(revolute)}R' if not len(prismatic) else f'SCARA {letters(own)}'
    lengths_text = ', '.join(f'L{i + 1} = {length:.6g} m' for i, length in enumerate(lengths)
                             if length > 1e-9 * size)
    off = f'; axes parallel to within {nominal.angle:.1e} rad' if nominal.angle > 1e-12 else ''
    return Recognised(structure, f'{name} ({lengths_text}{off})',
                      tuple(int(c) for c in own.column[locked]))
