"""The gallery: robots of this package, and of installed packages of robots."""

import importlib.util
from pathlib import Path

from ik_node.control.options import MODEL_PATHS
from ik_node.model.readers import find_reader
from ik_node.support.resources import own_robots

# Of robots of this package with several leaves.
_TIPS = {'humanoid': 'right_palm', 'torso': 'right_tool0'}
# Real robots in packages from PyPI, as file: (base link, tip link).
_REAL = {
    'example-robot-data': ('cmeel', '../cmeel.prefix/share/example-robot-data/robots', {
        'panda_description/urdf/panda.urdf': ('panda_link0', 'panda_hand_tcp'),
        'ur_description/urdf/ur5_robot.urdf': ('base_link', 'tool0'),
        'ur_description/urdf/ur10_robot.urdf': ('base_link', 'tool0'),
        'so_arm_description/urdf/so101.urdf': ('base_link', 'gripper_frame_link'),
        'baxter_description/urdf/baxter.urdf': ('torso', 'left_gripper'),
        'pr2_description/urdf/pr2.urdf': ('torso_lift_link', 'r_gripper_tool_frame'),
    }),
    'rtb-data': ('rtbdata', 'xacro', {
        'kuka_description/kuka_lbr_iiwa/urdf/lbr_iiwa_14_r820.urdf': ('base_link', 'tool0'),
        'unimation_puma560_description/urdf/puma560_robot.urdf': ('link1', 'link7'),
        'abb_irb140_description/urdf/irb140.urdf': ('base_link', 'link_6'),
    }),
}


def robots() -> dict[str, dict[str, str]]:
    """Return the parameters of the node for every robot, by name."""
    found = {}
    for name, file in own_robots().items():
        kind = find_reader(file).name
        found[name if kind == 'URDF' else f'{name} ({kind})'] = file_parameters(
            file, tip=_TIPS.get(name, ''))
    for package, folder in _folders():
        for name, (base, tip) in _REAL[package][2].items():
            file = (folder / name).resolve()
            if file.is_file():
                found[f'{file.stem} ({package})'] = file_parameters(file, base, tip)
    return found


def mesh_folders() -> list[Path]:
    """Return the folders of installed packages that the meshes of the robots are in."""
    return [folder.parent for _, folder in _folders()]


def _folders() -> list[tuple[str, Path]]:
    """Return the folder of robots of each package that is installed."""
    return [(package, (Path(place) / below).resolve())
            for package, (module, below, _) in _REAL.items()
            if (spec := importlib.util.find_spec(module)) is not None
            for place in spec.submodule_search_locations or ()]


def file_parameters(file: Path, base: str = '', tip: str = '') -> dict[str, str]:
    """Return the parameters that select a file, whatever the node had before."""
    return {**text_parameters('', base, tip), 'model_path': str(file)}


def text_parameters(text: str, base: str = '', tip: str = '') -> dict[str, str]:
    """Return the parameters that select a robot by its URDF text, whatever the node had before."""
    return {**dict.fromkeys(MODEL_PATHS, ''), 'robot_description': text, 'poses': '',
            'start_pose': 'none', 'base_link': base, 'tip_link': tip}
