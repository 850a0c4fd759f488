"""The arms that are measured: real ones, from example-robot-data, rtb-data and ssik."""

import importlib
import importlib.util
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ik_node import Chain, KinematicTree
from ik_node.spatial import rpy_from_matrix


class Arm(NamedTuple):
    """A serial arm out of a file."""

    name: str
    file: Path
    chain: Chain


_FILES = {
    'panda': ('erd', 'panda_description/urdf/panda.urdf', 'panda_link0', 'panda_hand_tcp'),
    'ur5': ('erd', 'ur_description/urdf/ur5_joint_limited_robot.urdf', 'base_link', 'tool0'),
    'iiwa14': ('rtb', 'kuka_description/kuka_lbr_iiwa/urdf/lbr_iiwa_14_r820.urdf', 'base_link',
               'tool0'),
    'puma560': ('rtb', 'unimation_puma560_description/urdf/puma560_robot.urdf', 'link1', 'link7'),
    'irb140': ('rtb', 'abb_irb140_description/urdf/irb140.urdf', 'base_link', 'link_6'),
    'so101': ('erd', 'so_arm_description/urdf/so101.urdf', 'base_link', 'gripper_frame_link'),
    'pr2': ('erd', 'pr2_description/urdf/pr2.urdf', 'torso_lift_link', 'r_gripper_tool_frame'),
    'baxter': ('erd', 'baxter_description/urdf/baxter.urdf', 'torso', 'left_gripper'),
    'ur10': ('erd', 'ur_description/urdf/ur10_robot.urdf', 'base_link', 'tool0'),
    'kinova': ('erd', 'kinova_description/robots/kinova.urdf', 'j2s6s200_link_base',
               'j2s6s200_end_effector'),
    'xarm7': ('erd', 'xarm_description/urdf/xarm7.urdf', 'link_base', 'link_eef'),
    'tiago': ('erd', 'tiago_description/robots/tiago.urdf', 'torso_lift_link', 'arm_tool_link'),
}
NAMES = tuple(_FILES)
"""Those that every solver is measured on."""

_KUKA, _TROSSEN = 'kuka_description', 'trossen_descriptions/urdf'
_MORE = {
    'ur3': ('erd', 'ur_description/urdf/ur3_robot.urdf', 'base_link', 'tool0'),
    'kr16': ('rtb', f'{_KUKA}/kuka_kr16/urdf/kr16_2.urdf', 'base_link', 'tool0'),
    'kr120': ('rtb', f'{_KUKA}/kuka_kr120/urdf/kr120r2500pro.urdf', 'base_link', 'tool0'),
    'kr210': ('rtb', f'{_KUKA}/kuka_kr210/urdf/kr210l150.urdf', 'base_link', 'tool0'),
    'z1': ('erd', 'z1_description/urdf/z1.urdf', 'world', 'link06'),
    'talos arm': ('erd', 'talos_data/robots/talos_left_arm.urdf', 'arm_left_1_link',
                  'gripper_left_base_link'),
    **{name: ('rtb', f'{_TROSSEN}/{name}.urdf.xacro', '/base_link', '/ee_gripper_link')
       for name in ('px100', 'px150', 'rx150', 'rx200', 'vx250', 'vx300', 'vx300s', 'wx200',
                    'wx250', 'wx250s')},
    'al5d': ('rtb', 'lynxmotion_al5d_description/urdf/al5d_robot.urdf', 'base', 'link4'),
    'allegro finger': ('erd', 'allegro_hand_description/urdf/allegro_left_hand.urdf', 'palm_link',
                       'link_3.0_tip'),
    'anymal leg': ('erd', 'anymal_c_simple_description/urdf/anymal.urdf', 'base', 'LF_FOOT'),
    'solo leg': ('erd', 'solo_description/robots/solo12.urdf', 'base_link', 'FL_FOOT')}
ALL = (*NAMES, *_MORE)
"""Those of the packages that have at most seven joints, one of each kind."""


def load(name: str) -> Arm:
    """Return one of the arms in ALL."""
    package, file, base, tip = {**_FILES, **_MORE}[name]
    path = folder(package) / file
    return Arm(name, path, KinematicTree.from_urdf(path).chain(base, tip))


def prebuilt() -> Iterator[tuple[str, Chain]]:
    """Yield the names and chains of the arms that the package ssik has; none without it."""
    if importlib.util.find_spec('ssik') is None:
        return
    from ssik import prebuilt as package
    for file in sorted(Path(package.__file__).parent.glob('*/*_ik.py')):
        name = f'{file.parent.name}.{file.stem}'
        joints = importlib.import_module(f'{package.__name__}.{name}')._KB.joints
        parts = ['<robot name="ssik"><link name="l0"/>']
        for k, joint in enumerate(joints):
            limited = joint.limits is not None and np.isfinite(joint.limits).all()
            lower, upper = joint.limits if limited else (0.0, 0.0)
            kind = {(True, True): 'revolute', (True, False): 'continuous'}.get(
                (joint.joint_type == 'revolute', bool(limited)), joint.joint_type)
            parts += [_joint(f'j{k}', kind, f'l{k}', f'm{k}', joint.T_left,
                             f'<axis xyz="{_text(joint.axis)}"/>'
                             f'<limit lower="{lower}" upper="{upper}" effort="1" velocity="1"/>'),
                      _joint(f'f{k}', 'fixed', f'm{k}', f'l{k + 1}', joint.T_right)]
        urdf = ''.join([*parts, '</robot>'])
        yield name.removesuffix('_ik'), KinematicTree.from_urdf(urdf).chain()


def _joint(name: str, kind: str, parent: str, child: str, T: np.ndarray, rest: str = '') -> str:
    """Return a joint and its child link as URDF."""
    return (f'<link name="{child}"/><joint name="{name}" type="{kind}"><parent link="{parent}"/>'
            f'<child link="{child}"/><origin xyz="{_text(T[:3, 3])}" '
            f'rpy="{_text(rpy_from_matrix(T[:3, :3]))}"/>{rest}</joint>')


def _text(numbers: Iterable[float]) -> str:
    return ' '.join(repr(float(number)) for number in numbers)


def folder(package: str) -> Path:
    """Return the folder of a package of robots: erd is example-robot-data, rtb rtb-data."""
    module, below = {'rtb': ('rtbdata', 'xacro'),
                     'erd': ('cmeel', '../cmeel.prefix/share/example-robot-data/robots')}[package]
    found = importlib.util.find_spec(module)
    if found is None or not found.submodule_search_locations:
        raise FileNotFoundError(f'the robots of {package} are not installed: run "make bench"')
    return (Path(found.submodule_search_locations[0]) / below).resolve()
