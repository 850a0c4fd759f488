"""Measures retargeting of the walk on the humanoid and on TALOS, and prints a table."""

import sys
from collections.abc import Iterator

import numpy as np

from benchmark.arms import folder
from benchmark.machine import machine
from ik_node.mocap.recording import Recording
from ik_node.mocap.recording_files import read_recording
from ik_node.mocap.retargeting import Retargeted, retarget
from ik_node.mocap.retargeting_map import RetargetingMap, read_map
from ik_node.mocap.targets import make_targets
from ik_node.model.readers import read_model
from ik_node.model.tree import KinematicTree
from ik_node.support.resources import share_folder

HEAD = ('| robot | frames | ms per frame: median | 99 % | feet move, mm | missed |\n'
        '|---|---|---|---|---|---|')


def main() -> int:
    """Run the benchmark."""
    motions = share_folder() / 'config/motions'
    recording = read_recording(motions / 'walk.amc', read_model(motions / 'walker.asf'))
    robots = {'humanoid': share_folder() / 'urdf/humanoid.urdf',
              'talos': folder('erd') / 'talos_data/robots/talos_reduced.urdf'}
    print(f'{machine()}\n\n{HEAD}', flush=True)
    for name, file in robots.items():
        robot, mapping = read_model(file), read_map(motions / f'walker_to_{name}.yaml')
        retarget(recording, robot, mapping)  # compiles what is not compiled
        found = retarget(recording, robot, mapping)
        assert not found.recording.outside_limits()
        times = 1e3 * found.solve_times
        print(f'| {name} | {len(times)} | {np.median(times):.2f} | '
              f'{np.percentile(times, 99):.2f} | '
              f'{1e3 * max(_travels(found, recording, robot, mapping)):.5f} | '
              f'{found.report() or "none"} |', flush=True)
    return 0


def _travels(found: Retargeted, recording: Recording, robot: KinematicTree,
             mapping: RetargetingMap) -> Iterator[float]:
    """Return how far each held link moves during each of its stands, m."""
    motion = found.recording
    for name, stands in make_targets(recording, robot, mapping).stands.items():
        for stand in stands:
            positions = np.array([
                motion.tree.forward(dict(zip(motion.joint_names, row)))[mapping.tasks[name].link]
                for row in motion.values[stand.first:stand.last + 1]])[:, :3, 3]
            yield float(np.linalg.norm(np.ptp(positions, axis=0)))


if __name__ == '__main__':
    sys.exit(main())
