"""Robots for the tests: small ones written here, real ones from PyPI packages."""

import functools
import importlib.util
import tempfile
from pathlib import Path

import numpy as np
import pytest

from compiled import COMPILED
from ik_node import Chain, KinematicTree

OWN = Path(__file__).parents[1] / 'urdf'
OWN_TIPS = {'torso': 'left_tool0'}  # of robots of urdf/ with several
_FOLDER = tempfile.TemporaryDirectory()

without_slow = False  # set by conftest.py

# name: (package, file, base, tip), see the packages example-robot-data and rtb-data
REAL = {
    'panda': ('erd', 'panda_description/urdf/panda.urdf', 'panda_link0', 'panda_hand_tcp'),
    'ur5': ('erd', 'ur_description/urdf/ur5_joint_limited_robot.urdf', 'base_link', 'tool0'),
    'iiwa14': ('rtb', 'kuka_description/kuka_lbr_iiwa/urdf/lbr_iiwa_14_r820.urdf', 'base_link',
               'tool0'),
    'puma560': ('rtb', 'unimation_puma560_description/urdf/puma560_robot.urdf', 'link1', 'link7'),
    'irb140': ('rtb', 'abb_irb140_description/urdf/irb140.urdf', 'base_link', 'link_6'),
    'so101': ('erd', 'so_arm_description/urdf/so101.urdf', 'base_link', 'gripper_frame_link'),
    'pr2': ('erd', 'pr2_description/urdf/pr2.urdf', 'torso_lift_link', 'r_gripper_tool_frame'),
    'baxter': ('erd', 'baxter_description/urdf/baxter.urdf', 'torso', 'left_gripper'),
    'allegro': ('erd', 'allegro_hand_description/urdf/allegro_left_hand.urdf', 'palm_link',
                'link_3.0_tip'),
}
SERIAL = [name for name in REAL if name != 'allegro']


def samples(count: int) -> int:
    """Return how many samples to draw: fewer without slow tests, and where kernels are plain."""
    if not COMPILED:
        return max(5, count // 10)
    return max(min(count, 5), count // 5) if without_slow else count


def rest_slow(cases, *quick) -> list:
    """Return the cases of a parameter, or tuples of several, all marked slow but some."""
    return [case if case in quick else pytest.param(
        *(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow) for case in cases]


@functools.lru_cache
def package_folder(package: str) -> Path:
    """Return the folder a package of robots keeps them in; skip the test where it is missing."""
    if package == 'rtb':
        found = importlib.util.find_spec('rtbdata')
        if found is not None and found.submodule_search_locations:
            return Path(found.submodule_search_locations[0]) / 'xacro'
    else:
        found = importlib.util.find_spec('cmeel')
        if found is not None and found.submodule_search_locations:
            folder = (Path(found.submodule_search_locations[0]).parent
                      / 'cmeel.prefix/share/example-robot-data/robots')
            if folder.is_dir():
                return folder
    missing = {'rtb': 'rtb-data', 'erd': 'example-robot-data'}[package]
    pytest.skip(f'the robots of {missing} are not installed')


def path(name: str) -> Path:
    """Return the file of a real robot."""
    package, file, _, _ = REAL[name]
    return package_folder(package) / file


@functools.lru_cache
def tree(name: str) -> KinematicTree:
    """Return a real robot, or one of urdf/."""
    own = OWN / f'{name}.urdf'
    return KinematicTree.from_urdf(own if own.exists() else path(name))


@functools.lru_cache
def chain(name: str) -> Chain:
    """Return the chain of a real robot, or of one of urdf/."""
    return tree(name).chain(*(REAL[name][2:] if name in REAL else (None, OWN_TIPS.get(name))))


def joint(name: str, kind: str, parent: str, child: str, *, xyz='0 0 0', rpy='0 0 0', axis='0 0 1',
          limit: str = '', mimic: str = '', shape: str = '', at='0 0 0', tag='collision') -> str:
    """Return a joint and its child link as URDF; shape: of the link, at a place in it."""
    inner = f'<origin xyz="{xyz}" rpy="{rpy}"/><parent link="{parent}"/><child link="{child}"/>'
    if kind != 'fixed':
        inner += f'<axis xyz="{axis}"/>'
    part = shape and (f'<{tag}><origin xyz="{at}"/><geometry>{shape}</geometry></{tag}>')
    link = f'<link name="{child}">{part}</link>' if part else f'<link name="{child}"/>'
    return (f'{link}<joint name="{name}" type="{kind}">{inner}'
            f'{f"<limit {limit}/>" if limit else ""}{f"<mimic {mimic}/>" if mimic else ""}</joint>')


def robot(*parts: str) -> str:
    """Return a robot with the root link "base" as URDF."""
    return f'<robot name="test"><link name="base"/>{"".join(parts)}</robot>'


def planar(*lengths: float, limit: float | None = None) -> Chain:
    """Return a planar arm in z = 0, its links along x at zero."""
    kind, limits = ('continuous', '') if limit is None else (
        'revolute', f'lower="{-limit}" upper="{limit}" effort="1" velocity="1"')
    parts, parent = [], 'base'
    for i, offset in enumerate([0.0, *lengths[:-1]]):
        parts.append(joint(f'joint_{i + 1}', kind, parent, f'link_{i + 1}', xyz=f'{offset} 0 0',
                           limit=limits))
        parent = f'link_{i + 1}'
    parts.append(joint('tip_fixed', 'fixed', parent, 'tip', xyz=f'{lengths[-1]} 0 0'))
    return KinematicTree.from_urdf(robot(*parts)).chain()


def scara() -> Chain:
    """Return a SCARA: revolute, revolute, prismatic, revolute, all along z."""
    turn = 'lower="-2.5" upper="2.5" effort="1" velocity="1"'
    return KinematicTree.from_urdf(robot(
        joint('shoulder', 'revolute', 'base', 'upper', xyz='0 0 0.4', limit=turn),
        joint('elbow', 'revolute', 'upper', 'fore', xyz='0.3 0 0', limit=turn),
        joint('quill', 'prismatic', 'fore', 'slide', xyz='0.25 0 0', axis='0 0 -1',
              limit='lower="0" upper="0.2" effort="1" velocity="1"'),
        joint('turn', 'revolute', 'slide', 'tool', limit=turn))).chain()


def mimicking() -> Chain:
    """Return an arm whose third joint follows the second: no closed form is known for it."""
    limit = 'lower="-2" upper="2" effort="1" velocity="1"'
    return KinematicTree.from_urdf(robot(
        joint('a', 'revolute', 'base', 'la', limit=limit),
        joint('b', 'revolute', 'la', 'lb', xyz='1 0 0', limit=limit),
        joint('c', 'revolute', 'lb', 'lc', xyz='1 0 0', limit=limit,
              mimic='joint="b" multiplier="0.5" offset="0.1"'),
        joint('t', 'fixed', 'lc', 'tip', xyz='0.5 0 0'))).chain()


@functools.lru_cache
def mimicking_file() -> Path:
    """Return a file of that arm, there until the tests end."""
    file = Path(_FOLDER.name) / 'mimicking.urdf'
    file.write_text(mimicking().tree.to_urdf())
    return file


def inside(space, q) -> bool:
    """Tell whether joint values (…, n) are within the limits of a chain or a body."""
    return bool(((space.lower <= q) & (q <= space.upper)).all())


def random_q(chain: Chain, rng: np.random.Generator, inside: float = 1.0) -> np.ndarray:
    """Return joint values drawn evenly from the limits, from ±π where there are none.

    inside: which part of the range, about its middle.
    """
    lower = np.where(np.isfinite(chain.lower), chain.lower, -np.pi)
    upper = np.where(np.isfinite(chain.upper), chain.upper, np.pi)
    middle, half = 0.5 * (lower + upper), 0.5 * inside * (upper - lower)
    return rng.uniform(middle - half, middle + half)


def needed(name: str, chain: Chain) -> dict:
    """Return the options without which a solver cannot be made: examples for `example`."""
    if name != 'example':
        return {}
    rng = np.random.default_rng(31)
    return {'examples': [random_q(chain, rng, inside=0.8) for _ in range(20)]}


def middle(chain: Chain) -> np.ndarray:
    """Return the middle of the limits, 0 where there are none."""
    finite = np.isfinite(chain.lower) & np.isfinite(chain.upper)
    q = np.zeros(chain.n_joints)
    q[finite] = 0.5 * (chain.lower[finite] + chain.upper[finite])
    return q
