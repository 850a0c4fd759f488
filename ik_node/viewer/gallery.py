"""The robots one can choose: those of this package, and of packages of robots where installed."""

import importlib.util
from pathlib import Path

from ik_node.resources import share_folder

_TIPS = {'torso': 'right_tool0'}  # of this package's robots that have several
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
    """Return the parameters of the node for every robot there is, by its name."""
    found = {}
    share = share_folder()
    for file in sorted((share / 'urdf').glob('*.urdf')):
        found[file.stem] = _parameters(file, tip=_TIPS.get(file.stem, ''))
    for file in sorted((share / 'config' / 'dh').glob('*.yaml')):
        found[f'{file.stem} (DH rows)'] = _parameters(file)
    for package, (module, below, files) in _REAL.items():
        spec = importlib.util.find_spec(module)
        for place in (spec.submodule_search_locations or () if spec else ()):
            for name, (base, tip) in files.items():
                file = (Path(place) / below / name).resolve()
                if file.is_file():
                    found[f'{file.stem} ({package})'] = _parameters(file, base, tip)
    return found


def _parameters(file: Path, base: str = '', tip: str = '') -> dict[str, str]:
    """Return what makes the node take a file, whatever it had before."""
    kind = 'dh_path' if file.suffix == '.yaml' else 'urdf_path'
    return {'robot_description': '', 'urdf_path': '', 'dh_path': '', 'poses': '',
            'start_pose': 'none', 'base_link': base, 'tip_link': tip, kind: str(file)}
