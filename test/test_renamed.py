"""Former public names work for one release, with a DeprecationWarning."""

import importlib

import numpy as np
import pytest

import robots
from ik_node.motion.key_poses import KeyConfigurations
from ik_node.motion.pose_library import PoseLibrary
from ik_node.workspace.voxels import Voxels


@pytest.mark.parametrize(('module', 'former', 'present'), [
    ('motion.interpolation', 'between_postures', 'between_configurations'),
    ('motion.interpolation', 'posture_difference', 'configuration_difference'),
    ('motion.key_poses', 'KeyPostures', 'KeyConfigurations'),
])
def test_a_former_name_is_the_present_object(module, former, present):
    home = importlib.import_module(f'ik_node.{module}')
    with pytest.warns(DeprecationWarning, match=f'{former}.*{present}'):
        assert getattr(home, former) is getattr(home, present)


def test_the_former_module_of_the_workspace_analysis_still_has_its_names():
    from ik_node.workspace import analysis, survey
    for former, present in (('survey', 'analyse_workspace'), ('Workspace', 'Workspace'),
                            ('FIGURES', 'FIGURES')):
        with pytest.warns(DeprecationWarning, match='ik_node.workspace.analysis'):
            assert getattr(survey, former) is getattr(analysis, present)


def test_an_unknown_name_is_an_attribute_error():
    from ik_node.workspace import survey
    with pytest.raises(AttributeError, match='nothing'):
        survey.nothing  # noqa: B018


def test_former_attributes_return_the_present_ones():
    chain = robots.planar(1, 1)
    keys = KeyConfigurations(chain, [0.0, 1.0], np.zeros((2, 2)))
    with pytest.warns(DeprecationWarning, match='configurations'):
        assert keys.postures is keys.configurations
    library = PoseLibrary({'home': dict.fromkeys(chain.joint_names, 0.5)}, chain.tree)
    with pytest.warns(DeprecationWarning, match='configuration'):
        assert library.posture('home', chain).tolist() == [0.5, 0.5]
    voxels = Voxels.around(chain)
    with pytest.warns(DeprecationWarning, match='fixed_axes'):
        assert voxels.flat == voxels.fixed_axes
