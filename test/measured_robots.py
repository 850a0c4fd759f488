"""Robots with joints that no goal moves: on a lift, with a camera that pans, with a gripper.

For tests of joints that are measured; the same robot for the same seed.
"""

import numpy as np

from ik_node import KinematicTree

ARM = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0))


def lift_robot(seed: int = 0, arms: tuple[str, ...] = ('',)) -> str:
    """Return the URDF of arms on a lift, beside a camera that pans and tilts.

    arms: prefixes of their names. Their bases are `<arm>mount`, the tips `<arm>tool`; a gripper has
    a finger and a mimic of it.
    """
    rng = np.random.default_rng(seed)
    parts = ['<robot name="on_a_lift"><link name="ground"/>']
    _add(parts, 'lift', 'prismatic', 'ground', 'column', rng, (0, 0, 1), (-0.1, 0.6), box=0.3)
    _add(parts, 'pan', 'revolute', 'column', 'neck', rng, (0, 0, 1), (-2.5, 2.5), up=0.5)
    _add(parts, 'tilt', 'revolute', 'neck', 'camera', rng, (0, 1, 0), (-1.0, 1.0), box=0.05)
    _add(parts, 'spin', 'continuous', 'camera', 'lidar', rng, (0, 0, 1), None)
    for k, arm in enumerate(arms):
        side = 0.5 * (k - 0.5 * (len(arms) - 1))
        _add(parts, '', 'fixed', 'column', f'{arm}mount', rng, (0, 0, 1), None, up=0.3, y=side)
        parent = f'{arm}mount'
        for j, axis in enumerate(ARM):
            child = f'{arm}link_{j}'
            _add(parts, f'{arm}joint_{j}', 'revolute', parent, child, rng, axis, (-2.8, 2.8),
                 box=0.06, up=0.1 if j in (0, 5) else 0.25)
            parent = child
        _add(parts, '', 'fixed', parent, f'{arm}tool', rng, (0, 0, 1), None, up=0.1)
        _add(parts, f'{arm}finger', 'prismatic', f'{arm}tool', f'{arm}finger_link', rng, (0, 1, 0),
             (0.0, 0.05), box=0.02)
        _add(parts, f'{arm}other_finger', 'prismatic', f'{arm}tool', f'{arm}other_finger_link', rng,
             (0, -1, 0), (0.0, 0.1), mimic=f'{arm}finger')
    return ''.join([*parts, '</robot>'])


def lift_tree(seed: int = 0, arms: tuple[str, ...] = ('',)) -> KinematicTree:
    return KinematicTree.from_urdf(lift_robot(seed, arms))


def measured_values(tree: KinematicTree, rng: np.random.Generator, inside: tuple[str, ...] = (),
                    beyond: float = 0.05) -> dict[str, float]:
    """Return random values of all joints with one of their own, rad or m.

    inside: names of those that are inside their limits; others may be a part `beyond` outside.
    """
    values = {}
    for name in tree.independent_joints:
        joint = tree.joints[name]
        low, high = (max(joint.lower, -3.0), min(joint.upper, 3.0))
        room = (-0.02 if name in inside else beyond) * (high - low)
        values[name] = float(rng.uniform(low - room, high + room))
    return values


def _add(parts, name, kind, parent, child, rng, axis, limits, up=0.1, y=0.0, box=0.0, mimic=''):
    shape = f'<collision><geometry><box size="{box} {box} {box}"/></geometry></collision>'
    x, dy = rng.uniform(-0.02, 0.02, 2)
    limit = '' if limits is None else (f'<limit lower="{limits[0]}" upper="{limits[1]}" effort="9" '
                                       'velocity="2"/>')
    follows = f'<mimic joint="{mimic}" multiplier="2.0" offset="0.01"/>' * bool(mimic)
    parts.append(
        f'<link name="{child}">{shape if box else ""}</link>'
        f'<joint name="{name or child + "_fixed"}" type="{kind}">'
        f'<parent link="{parent}"/><child link="{child}"/><origin xyz="{x} {y + dy} {up}"/>'
        f'<axis xyz="{" ".join(map(str, axis))}"/>{limit}{follows}</joint>')
