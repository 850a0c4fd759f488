"""Writes a figure (walker.asf) and its walk (walk.amc) from formulas; no person was recorded.

Feet stand where they are, or swing on cycloids from one footprint to the next; the pelvis follows a
spline above them, lowest while both feet stand; arms swing against the legs. Joint values of the
legs are found by a body solver.

    python examples/make_walk.py config/motions
"""

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.interpolate import CubicSpline

from ik_node import KinematicTree, make_body_solver
from ik_node.mocap.recording import Recording
from ik_node.mocap.recording_files import write_recording
from ik_node.spatial import pose_from_rpy
from ik_node.tasks import Pose, Posture

FPS = 120.0
STEPS, STEP_TIME, SWING_TIME = 6, 0.7, 0.58  # of two feet in turn; s from step to step
LENGTH, LIFT, SWAY = 0.42, 0.05, 0.025        # m: of a whole step, of a foot, to either side
HIGH, LOW = 0.885, 0.87                     # m: the pelvis, on one foot and on two
HALF_WIDTH = 0.085                           # m: of the feet from the middle

Prints = dict[str, list[tuple[float, float]]]
# Bone: parent, offset (m; x to the left, y up, z forward), degrees of freedom with limits, deg.
BONES: dict[str, tuple[str, tuple[float, ...], dict[str, tuple[float, ...]]]] = {
    'lowerback': ('root', (0, 0.12, 0), {'rx': (-30, 60), 'ry': (-40, 40), 'rz': (-30, 30)}),
    'thorax': ('lowerback', (0, 0.36, 0), {'rx': (-20, 30), 'ry': (-30, 30), 'rz': (-20, 20)}),
    'head': ('thorax', (0, 0.26, 0.03), {'rx': (-45, 45), 'ry': (-80, 80), 'rz': (-35, 35)}),
}
for side, sign in (('l', 1), ('r', -1)):
    across = (-20, 160) if side == 'l' else (-160, 20)
    BONES |= {
        f'{side}clavicle': ('thorax', (0.18 * sign, -0.04, 0), {}),
        f'{side}humerus': (f'{side}clavicle', (0, -0.29, 0),
                           {'rx': (-170, 60), 'ry': (-90, 90), 'rz': across}),
        f'{side}radius': (f'{side}humerus', (0, -0.26, 0), {'rx': (-150, 0)}),
        f'{side}hand': (f'{side}radius', (0, -0.09, 0), {'rx': (-70, 70), 'rz': (-40, 40)}),
        f'{side}hipjoint': ('root', (HALF_WIDTH * sign, -0.05, 0), {}),
        f'{side}femur': (f'{side}hipjoint', (0, -0.42, 0),
                         {'rx': (-130, 40), 'ry': (-45, 45), 'rz': (-50, 50)}),
        f'{side}tibia': (f'{side}femur', (0, -0.40, 0), {'rx': (0, 150)}),
        f'{side}foot': (f'{side}tibia', (0, -0.08, 0.1), {'rx': (-55, 60), 'rz': (-30, 30)}),
    }


def skeleton() -> str:
    """Return the figure as an Acclaim skeleton; its unit of length is the metre."""
    lines = [':version 1.10', ':name walker', ':units', '  mass 1.0', '  length 0.0254',
             '  angle deg', ':documentation', '  Made by examples/make_walk.py.', ':root',
             '  order TX TY TZ RX RZ RY', '  axis XYZ', '  position 0 0 0', '  orientation 0 0 0',
             ':bonedata']
    for number, (name, (_, offset, freedom)) in enumerate(BONES.items(), start=1):
        length = float(np.linalg.norm(offset))
        direction = ' '.join(f'{x / length:.9g}' for x in offset)
        lines += ['  begin', f'    id {number}', f'    name {name}', f'    direction {direction}',
                  f'    length {length:.9g}', '    axis 0 0 0 XYZ']
        if freedom:
            lines += [f'    dof {" ".join(freedom)}',
                      '    limits ' + '\n           '.join(f'({low} {high})' for low, high
                                                          in freedom.values())]
        lines.append('  end')
    children: dict[str, list[str]] = {}
    for name, (parent, _, _) in BONES.items():
        children.setdefault(parent, []).append(name)
    lines += [':hierarchy', '  begin',
              *(f'    {parent} {" ".join(below)}' for parent, below in children.items()), '  end']
    return '\n'.join(lines) + '\n'


def footprints() -> Prints:
    """Return {side: [(time of touching down, s, x, m)]}; half a step first and last."""
    prints = {'l': [(0.0, 0.0)], 'r': [(0.0, 0.0)]}
    for step in range(STEPS):
        x = (step + 1) * LENGTH if step < STEPS - 1 else step * LENGTH
        prints['lr'[step % 2]].append(((step + 1) * STEP_TIME, x))
    return prints


def foot_pose(prints: list[tuple[float, float]], side: str, t: float) -> np.ndarray:
    """Return the pose (4, 4), m, of a foot at a time, s, as turned from upright."""
    x, z, pitch = prints[-1][1], 0.0, 0.0
    for (_, before), (down, after) in pairwise(prints):
        s = (t - down + SWING_TIME) / SWING_TIME
        if s < 0.0:
            x = before
            break
        if s < 1.0:  # a cycloid, which begins and ends at rest
            x = before + (after - before) * (s - np.sin(2 * np.pi * s) / (2 * np.pi))
            z = 0.5 * LIFT * (1.0 - np.cos(2 * np.pi * s))
            pitch = np.radians(8) * np.sin(2 * np.pi * s) * np.sin(np.pi * s)
            break
    return pose_from_rpy((x, HALF_WIDTH if side == 'l' else -HALF_WIDTH, z), (0.0, pitch, 0.0))


def pelvis_path(prints: Prints) -> CubicSpline:
    """Return the position of the pelvis (3,), m, as a function of the time, s."""
    knots = [(0.0, 0.0, 0.0, HIGH)]
    for step in range(STEPS):
        down, before = (step + 1) * STEP_TIME, knots[-1][1]
        x = float(np.mean([max(p for p in prints[side] if p[0] <= down)[1] for side in 'lr']))
        sway = -SWAY if step % 2 == 0 else SWAY  # towards the foot that stands
        knots += [(down - 0.4 * STEP_TIME, 0.5 * (before + x), sway, HIGH),
                  (down + 0.02, x, 0.0, LOW)]
    knots.append((STEPS * STEP_TIME + 0.5, knots[-1][1], 0.0, HIGH))
    return CubicSpline([k[0] for k in knots], [k[1:] for k in knots], bc_type='clamped')


def upper_body(swing: float) -> dict[str, float]:
    """Return {joint: value}, rad, while the left foot is swing · LENGTH before the right."""
    return {'lhumerus_rx': 0.5 * swing, 'rhumerus_rx': -0.5 * swing, 'lhumerus_rz': 0.12,
            'rhumerus_rz': -0.12, 'lradius_rx': -0.35 + 0.15 * swing,
            'rradius_rx': -0.35 - 0.15 * swing, 'thorax_ry': 0.14 * swing,
            'head_ry': -0.06 * swing, 'lowerback_rx': 0.04}


def walk(tree: KinematicTree) -> Recording:
    """Return the walk of the figure, along x."""
    prints = footprints()
    pelvis = pelvis_path(prints)
    body = tree.body()
    index = {name: k for k, name in enumerate(body.joint_names)}
    upright = tree.forward({'root_ry': np.pi / 2})  # its rest pose faces -y
    root = Pose('root', np.eye(4), priority=0)
    soles = {side: Pose(f'{side}foot', np.eye(4), priority=0) for side in 'lr'}
    rest = Posture(np.zeros(body.n_joints), priority=2)
    solver = make_body_solver('least_squares', body, [root, *soles.values(), rest])
    q = np.zeros(body.n_joints)
    q[[index['root_ty'], index['root_ry']]] = HIGH, np.pi / 2
    for bone, bend in {'femur': -0.3, 'tibia': 0.6, 'foot': -0.3}.items():
        q[[index[f'{side}{bone}_rx'] for side in 'lr']] = bend
    times, rows = np.arange(round(float(pelvis.x[-1]) * FPS) + 1) / FPS, []
    for t in times:
        feet = {side: foot_pose(prints[side], side, t) for side in 'lr'}
        swing = (feet['l'][0, 3] - feet['r'][0, 3]) / LENGTH
        root.target = pose_from_rpy(pelvis(t), (0.0, 0.0, -0.08 * swing)) @ turned(upright['root'])
        for side, task in soles.items():
            task.target = feet[side] @ pose_from_rpy((0.1, 0, 0), (0, 0, 0)) @ turned(
                upright[f'{side}foot'])
        values = np.zeros(body.n_joints)
        for joint, value in upper_body(swing).items():
            values[index[joint]] = value
        rest.q = values
        result = solver.solve(q)
        if not result.success:
            raise SystemExit(f'at {t:.3f} s: {result.diagnosis}')
        q = result.q
        rows.append(q)
    return Recording(tree, body.joint_names, times, np.array(rows), 'the walk')


def turned(T: np.ndarray) -> np.ndarray:
    """Return a pose (4, 4) without its position."""
    T = T.copy()
    T[:3, 3] = 0.0
    return T


def main() -> None:
    """Write both files into the folder of the first argument."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else '.')
    folder.mkdir(parents=True, exist_ok=True)
    (folder / 'walker.asf').write_text(skeleton(), encoding='utf-8')
    motion = walk(KinematicTree.from_asf(folder / 'walker.asf'))
    write_recording(motion, folder / 'walk.amc')
    print(f'{motion.n_frames} frames, {motion.duration:.2f} s; '
          f'{motion.outside_limits() or "all joints inside their limits"}')


if __name__ == '__main__':
    main()
