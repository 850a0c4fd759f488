import runpy
from pathlib import Path

import numpy as np
import pytest

from compiled import COMPILED
from walking import SKELETON, WALK, walk

SCRIPT = Path(__file__).parents[2] / 'examples/make_walk.py'


@pytest.fixture(scope='module')
def feet():
    """Return the positions of both feet in the walk, {side: (m, 3)}, m."""
    motion = walk(1)
    found = {'l': [], 'r': []}
    for row in motion.values:
        at = motion.tree.forward(dict(zip(motion.joint_names, row)))
        for side, positions in found.items():
            positions.append(at[f'{side}foot'][:3, 3])
    return {side: np.array(positions) for side, positions in found.items()}


@pytest.mark.skipif(not COMPILED, reason='plain Python takes minutes')
def test_the_script_writes_both_files(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr('sys.argv', [str(SCRIPT), str(tmp_path)])
    runpy.run_path(str(SCRIPT), run_name='__main__')
    assert 'all joints inside their limits' in capsys.readouterr().out
    assert (tmp_path / 'walker.asf').read_text() == SKELETON.read_text()
    written, kept = ((folder / 'walk.amc').read_text().split()
                     for folder in (tmp_path, WALK.parent))
    assert len(written) == len(kept)
    numbers = [(float(a), float(b)) for a, b in zip(written, kept) if a != b]
    assert all(abs(a - b) < 1e-3 for a, b in numbers)  # deg


def test_six_steps_lead_along_x(feet):
    for positions in feet.values():
        assert positions[-1, 0] - positions[0, 0] == pytest.approx(5 * 0.42, abs=1e-3)
        assert np.ptp(positions[:, 1]) < 1e-3


def test_standing_feet_do_not_move(feet):
    for positions in feet.values():
        low = positions[:, 2] < 1e-4
        speeds = 120.0 * np.linalg.norm(np.diff(positions, axis=0), axis=1)
        assert positions[:, 2].min() > -1e-4
        assert low.mean() > 0.5
        assert np.median(speeds[low[1:] & low[:-1]]) < 2e-3


def test_the_motion_is_inside_the_limits_of_the_figure():
    assert walk(1).outside_limits() == ''
