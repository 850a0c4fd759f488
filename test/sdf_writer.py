"""Writes any robot as SDF, and models of SDF as short texts, for the tests of its reader.

The writer is independent of the reader, and uses what SDF has for poses at random: relative to the
model, to the parent link or to the joint, quaternions and degrees, axes in the frame of another.
"""

import math

import numpy as np
from scipy.spatial.transform import Rotation

from ik_node.model.joints import CONTINUOUS, FIXED, PRISMATIC, REVOLUTE


def sdf(body: str, version: str = '1.11', name: str = 'arm', attributes: str = '') -> str:
    return f'<sdf version="{version}"><model name="{name}" {attributes}>{body}</model></sdf>'


def link(name: str, pose: str = '', inner: str = '', relative_to: str = '') -> str:
    relative = f' relative_to="{relative_to}"' if relative_to else ''
    return f'<link name="{name}">{f"<pose{relative}>{pose}</pose>" if pose else ""}{inner}</link>'


def joint(name: str, parent: str, child: str, kind: str = 'revolute', axis: str = '0 0 1',
          pose: str = '', limit: str = '', inner: str = '') -> str:
    axes = '' if kind in ('fixed', 'ball') else (
        f'<axis><xyz>{axis}</xyz>{f"<limit>{limit}</limit>" if limit else ""}</axis>')
    return (f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>'
            f'{f"<pose>{pose}</pose>" if pose else ""}{axes}{inner}</joint>')


def as_sdf(tree, rng) -> str:
    """Return a tree of joints of one degree of freedom as SDF."""
    at = tree.forward()
    parts = [f'<sdf version="1.11"><model name="{tree.name}">']
    parents = {one.child: one for one in tree.joints.values()}
    for name in tree.links:
        relative, T = _relative(tree, parents, at, name, rng)
        shapes = ''.join(_shape(shape.shape, shape.placement, rng)
                         for shape in tree.collisions.get(name, ()))
        inertial = ''
        if name in tree.inertials:
            one = tree.inertials[name]
            center = np.eye(4)
            center[:3, 3] = one.center
            entries = ''.join(f'<i{a}{b}>{one.inertia["xyz".index(a), "xyz".index(b)]!r}</i{a}{b}>'
                              for a, b in ('xx', 'xy', 'xz', 'yy', 'yz', 'zz'))
            inertial = (f'<inertial>{_pose(center, "", rng)}<mass>{one.mass!r}</mass><inertia>'
                        f'{entries}</inertia></inertial>').replace('np.float64(', '').replace(
                            ')</', '</')
        parts.append(f'<link name="{name}">{_pose(T, relative, rng)}{inertial}{shapes}</link>')
    parts += [_joint(one, at, rng) for one in tree.joints.values()]
    return ''.join([*parts, '</model></sdf>'])


def _relative(tree, parents, at, name, rng):
    """Return what the pose of a link is relative to, and the pose."""
    T_model = np.linalg.inv(at[tree.root]) @ at[name]
    if name == tree.root or rng.random() < 0.3:
        return rng.choice(['', '__model__']), T_model
    parent = parents[name].parent
    return parent, np.linalg.inv(at[parent]) @ at[name]


def _joint(one, at, rng) -> str:
    kind = {FIXED: 'fixed', REVOLUTE: 'revolute', PRISMATIC: 'prismatic',
            CONTINUOUS: rng.choice(['continuous', 'revolute'])}[one.type]
    T_parent_child = np.linalg.inv(at[one.parent]) @ at[one.child]
    pose, axis = '', one.axis
    if rng.random() < 0.5:
        pose = _pose(T_parent_child, one.parent, rng)  # the child's frame, seen from the parent
    expressed = ''
    if rng.random() < 0.5:
        expressed = f' expressed_in="{one.parent}"'
        axis = T_parent_child[:3, :3] @ axis
    if kind == 'fixed':
        moving = ''
    else:
        limits = ''.join(f'<{key}>{value!r}</{key}>' for key, value in (
            ('lower', one.lower), ('upper', one.upper)) if math.isfinite(value) or (
                kind == 'prismatic' and rng.random() < 0.5)).replace('inf', '1e16')
        limits += f'<velocity>{one.velocity!r}</velocity>' if math.isfinite(one.velocity) else ''
        mimic = ''
        if one.mimic is not None:
            shift = round(float(rng.uniform(-1.0, 1.0)), 3)
            mimic = (f'<mimic joint="{one.mimic.joint}"><multiplier>{one.mimic.multiplier!r}'
                     f'</multiplier><offset>{one.mimic.offset + shift * one.mimic.multiplier!r}'
                     f'</offset><reference>{shift!r}</reference></mimic>')
        moving = (f'<axis><xyz{expressed}>{_text(axis)}</xyz><limit>{limits}</limit>{mimic}</axis>')
    return (f'<joint name="{one.name}" type="{kind}"><parent>{one.parent}</parent>'
            f'<child>{one.child}</child>{pose}{moving}</joint>')


def _pose(T, relative, rng) -> str:
    attribute = f' relative_to="{relative}"' if relative else ''
    R = Rotation.from_matrix(T[:3, :3])
    how = rng.integers(3)
    if how == 0:
        turned, words = ' rotation_format="quat_xyzw"', R.as_quat()
    else:
        turned, words = (' degrees="true"', R.as_euler('xyz', degrees=True)) if how == 1 else (
            '', R.as_euler('xyz'))
    return f'<pose{attribute}{turned}>{_text([*T[:3, 3], *words])}</pose>'


def _shape(shape, T, rng) -> str:
    tag = type(shape).__name__.lower()
    if tag == 'mesh':
        inner = f'<uri>{shape.filename}</uri><scale>{_text(shape.scale)}</scale>'
    elif tag == 'box':
        inner = f'<size>{_text(shape.size)}</size>'
    else:
        inner = ''.join(f'<{key}>{value!r}</{key}>' for key, value in shape._asdict().items())
    return (f'<collision name="c{rng.integers(10**9)}">{_pose(T, "", rng)}<geometry><{tag}>{inner}'
            f'</{tag}></geometry></collision>')


def _text(numbers) -> str:
    return ' '.join(repr(float(number)) for number in numbers)
