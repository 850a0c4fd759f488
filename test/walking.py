"""The figure and the walk of the package, and maps of retargeting, for the tests."""

import functools
from pathlib import Path

import yaml

from compiled import COMPILED
from ik_node.mocap.recording import Recording
from ik_node.mocap.recording_files import read_recording
from ik_node.mocap.retargeting_map import RetargetingMap
from ik_node.model.readers import read_model

FOLDER = Path(__file__).parents[1] / 'config/motions'
SKELETON, WALK = FOLDER / 'walker.asf', FOLDER / 'walk.amc'
MAP = FOLDER / 'walker_to_humanoid.yaml'
STEP = 5 if COMPILED else 60  # frames of the walk from one to the next


@functools.lru_cache
def walker(scale=1.0):
    """Return the figure, all its lengths scaled."""
    text = SKELETON.read_text()
    return read_model(text.replace('length 0.0254', f'length {0.0254 / scale!r}'))


@functools.lru_cache
def humanoid():
    return read_model(Path(__file__).parents[1] / 'urdf/humanoid.urdf')


@functools.lru_cache
def walk(step=STEP):
    """Return every so many frames of the walk."""
    whole = read_recording(WALK, walker())
    return Recording(whole.tree, whole.joint_names, whole.times[::step], whole.values[::step])


def humanoid_map(**changes):
    """Return the map for the humanoid, with other values of its options."""
    return RetargetingMap.read({**yaml.safe_load(MAP.read_text()), **changes})


def with_entry(name, **changes):
    """Return the map for the humanoid with other fields of one of its entries."""
    values = yaml.safe_load(MAP.read_text())
    values['tasks'][name] = {**values['tasks'].get(name, {}), **changes}
    return RetargetingMap.read(values)


def own_map(**options):
    """Return a map of the walker onto itself that determines every joint."""
    bones = ['lowerback', 'thorax', 'head', *(f'{side}{bone}' for side in 'lr' for bone in (
        'humerus', 'radius', 'hand', 'femur', 'tibia', 'foot'))]
    return RetargetingMap.read({'smoothness': 0.0, **options, 'tasks': {
        'root': {'bone': 'root', 'link': 'root'},
        **{bone: {'bone': bone, 'link': bone, 'parent': 'root'} for bone in bones}}})

