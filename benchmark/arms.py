"""The arms that are measured: real ones, from the packages example-robot-data and rtb-data."""

import importlib.util
from pathlib import Path
from typing import NamedTuple

from ik_node import Chain, KinematicTree


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


def load(name: str) -> Arm:
    """Return one of the arms in NAMES."""
    package, file, base, tip = _FILES[name]
    path = folder(package) / file
    return Arm(name, path, KinematicTree.from_urdf(path).chain(base, tip))


def folder(package: str) -> Path:
    """Return the folder of a package of robots: erd is example-robot-data, rtb rtb-data."""
    module, below = {'rtb': ('rtbdata', 'xacro'),
                     'erd': ('cmeel', '../cmeel.prefix/share/example-robot-data/robots')}[package]
    found = importlib.util.find_spec(module)
    if found is None or not found.submodule_search_locations:
        raise FileNotFoundError(f'the robots of {package} are not installed: run "make bench"')
    return (Path(found.submodule_search_locations[0]) / below).resolve()
