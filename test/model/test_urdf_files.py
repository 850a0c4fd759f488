"""Every file of two packages of real robots loads, or is refused for a reason."""

import pytest

import robots
from ik_node import KinematicTree, ModelError

# What is wrong with the few that cannot be read, in the files themselves.
REFUSED = {
    'alex_psyonic_hands.urdf': "joint 'Left_index_q2' mimics another: there is no joint 'index_q1'",
    'ur3.urdf': 'has no links',
    'test.urdf': 'not XML',
}


@pytest.mark.parametrize('step', [6, pytest.param(1, marks=pytest.mark.slow)])
def test_every_file_loads_or_is_refused_for_what_is_wrong_with_it(step):
    folders = [robots.package_folder('erd'), robots.package_folder('rtb').parent]
    files = sorted(file for folder in folders for file in folder.rglob('*.urdf'))
    assert len(files) >= 70
    for file in files[::step]:
        if file.name in REFUSED:
            with pytest.raises(ModelError, match=REFUSED[file.name]):
                KinematicTree.from_urdf(file)
        else:
            tree = KinematicTree.from_urdf(file)
            assert len(tree.forward()) == len(tree.links) == len(tree.joints) + 1
