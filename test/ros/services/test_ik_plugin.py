"""~/compute_ik by the requests of MoveIt's srv_kinematics_plugin."""

import copy

import numpy as np
import pytest
import yaml

import robots
from docs_blocks import BLOCKS
from harness.graph_here import wired
from harness.moveit_plugin import IS_INSTALLED, SrvKinematicsPlugin, service_type
from harness.node_here import answered, running
from ik_node import make_solver
from ik_node.collision import CollisionModel

TORSO = robots.tree('torso')
ARMS = [f'{side}_joint_{i}' for side in ('left', 'right') for i in range(1, 8)]
TIPS = ['left_tool0', 'right_tool0']
KINEMATICS = [text for page, language, text in BLOCKS
              if page == 'docs/ros2_control.md' and language == 'yaml']


@pytest.fixture
def plugin(monkeypatch):
    """Return a function that makes the plugin of a group of a node."""
    service = service_type(monkeypatch)
    sent = wired if IS_INSTALLED else copy.deepcopy

    def call(node, name='ik_node/compute_ik'):
        return lambda request: sent(node.handle(
            answered, node.server(name).callback, sent(request), service.Response()))
    return lambda node, *group: SrvKinematicsPlugin(service, call(node), *group)


def draw(chain, rng):
    return 0.9 * rng.uniform(chain.lower, chain.upper)


@pytest.mark.parametrize('name', ['arm_6r', 'arm_7r'])
@pytest.mark.parametrize('group', ['manipulator', ''])
def test_a_group_of_any_name_with_one_tip_gets_poses_near_its_seed(plugin, name, group):
    tree, rng = robots.tree(name), np.random.default_rng(0)
    chain = tree.chain()
    free = CollisionModel(chain)
    with running(urdf_path=robots.OWN / f'{name}.urdf', publish_rate=0.0) as node:
        own = plugin(node, tree, group, 'base_link', ['tool0'], chain.joint_names)
        for _ in range(robots.samples(60)):
            while not free.is_free(q := draw(chain, rng)):
                pass
            seed = np.clip(q + rng.uniform(-0.05, 0.05, len(q)), chain.lower, chain.upper)
            found = own.search([chain.forward(q)], seed)
            assert found is not None, own.message
            assert chain.forward(found) == pytest.approx(chain.forward(q), abs=3e-6)
            assert free.is_free(found)
            assert np.abs(found - seed).max() < 0.3


def test_of_several_solutions_without_contact_the_one_nearest_to_the_seed_is_found(plugin):
    tree, rng = robots.tree('arm_6r'), np.random.default_rng(1)
    chain = tree.chain()
    closed, free = make_solver('analytic', chain), CollisionModel(chain)
    with running(urdf_path=robots.OWN / 'arm_6r.urdf', solver='analytic') as node:
        own = plugin(node, tree, 'manipulator', 'base_link', ['tool0'], chain.joint_names)
        for _ in range(robots.samples(60)):
            while not free.is_free(q := draw(chain, rng)):
                pass
            T, seed = chain.forward(q), draw(chain, rng)
            branches = [one for one in closed.solve_all(T, windings=True) if free.is_free(one)]
            found = own.search([T], seed)
            assert found is not None, own.message
            nearest = min(np.linalg.norm(one - seed) for one in branches)
            assert np.linalg.norm(found - seed) == pytest.approx(nearest, abs=1e-4)


@pytest.mark.parametrize('base_link', ['torso_link', ''])  # '': they share lift and waist
def test_a_group_of_two_tips_has_both_poses_at_once(plugin, base_link):
    rng = np.random.default_rng(2)
    joints = ARMS if base_link else ['lift_joint', 'waist_joint', *ARMS]
    base = base_link or TORSO.root
    chains = [TORSO.chain(base, tip) for tip in TIPS]
    free = CollisionModel(TORSO.body())
    arms = {f'{side}.{field}': value for side in ('left', 'right')
            for field, value in (('tip_link', f'{side}_tool0'), ('base_link', base_link)) if value}
    with running(urdf_path=robots.OWN / 'torso.urdf', arms=['left', 'right'], **arms) as node:
        own = plugin(node, TORSO, 'both_arms', base, TIPS, joints)
        for _ in range(robots.samples(20)):
            while True:
                seed = {name: 0.4 * rng.uniform(*TORSO.limits(name)) for name in joints}
                if free.is_free([seed.get(name, 0.0) for name in free.space.joint_names]):
                    break
            goals = []
            for chain in chains:
                T = chain.forward([seed[name] for name in chain.joint_names])
                T[:3, 3] += rng.uniform(-0.02, 0.02, 3)
                goals.append(T)
            found = own.search(goals, [seed[name] for name in joints])
            assert found is not None, own.message
            found = dict(zip(joints, found))
            for chain, T in zip(chains, goals):
                tip = chain.forward([found[name] for name in chain.joint_names])
                assert tip == pytest.approx(T, abs=3e-6)
            assert free.is_free([found.get(name, 0.0) for name in free.space.joint_names])


def test_one_of_two_arms_is_selected_by_its_tip_whatever_the_group_is_named(plugin):
    chain = TORSO.chain('torso_link', 'right_tool0')
    q = np.full(7, 0.3)
    arms = {f'{side}.{field}': value for side in ('left', 'right')
            for field, value in (('tip_link', f'{side}_tool0'), ('base_link', 'torso_link'))}
    with running(urdf_path=robots.OWN / 'torso.urdf', arms=['left', 'right'], **arms) as node:
        own = plugin(node, TORSO, 'right_arm', 'torso_link', ['right_tool0'], chain.joint_names)
        assert chain.forward(own.search([chain.forward(q)], q + 0.1)) == pytest.approx(
            chain.forward(q), abs=3e-6)
        # A name that the node has is taken at its word.
        own = plugin(node, TORSO, 'left', 'torso_link', ['right_tool0'], chain.joint_names)
        assert own.search([chain.forward(q)], q) is None
        assert own.code == -18


def test_a_pose_out_of_reach_and_one_in_contact_have_no_solution(plugin):
    tree = robots.tree('arm_6r')
    chain = tree.chain()
    with running(urdf_path=robots.OWN / 'arm_6r.urdf') as node:
        own = plugin(node, tree, 'manipulator', 'base_link', ['tool0'], chain.joint_names)
        far = chain.forward(np.zeros(6))
        far[:3, 3] = 9.0, 0.0, 0.0
        assert own.search([far], np.zeros(6)) is None
        assert (own.code, 'out of reach' in own.message) == (-31, True)
        inside = np.eye(4)
        inside[2, 3] = 0.05  # in the foot
        assert own.search([inside], np.zeros(6)) is None
        assert own.code == -31
        assert own.search([chain.forward(np.full(6, 0.2))], np.zeros(6)) is not None
        assert node.alive()


def test_the_kinematics_yaml_of_the_docs_names_the_plugin_and_a_service_of_the_node(plugin):
    (text,) = KINEMATICS
    with running(urdf_path=robots.OWN / 'arm_6r.urdf') as node:
        for name, group in yaml.safe_load(text).items():
            assert set(group) == {
                'kinematics_solver', 'kinematics_solver_search_resolution',
                'kinematics_solver_service_name', 'kinematics_solver_timeout'}, name
            assert group['kinematics_solver'] == 'srv_kinematics_plugin/SrvKinematicsPlugin'
            assert min(group['kinematics_solver_search_resolution'],
                       group['kinematics_solver_timeout']) > 0.0  # MoveIt refuses zero
            service = group['kinematics_solver_service_name']
            assert node.server(service.removeprefix('/'))
