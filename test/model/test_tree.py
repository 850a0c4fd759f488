import numpy as np
import pytest

import robots
from ik_node import IkError, KinematicTree, ModelError
from ik_node.model.joints import Joint, Mimic

LIMIT = 'lower="-1" upper="1" effort="1" velocity="1"'
# base ─┬─ left ─── left_hand        Two branches and a bare link, the second branch first in file.
#       ├─ right ── right_tool
#       └─ badge
BRANCHED = robots.robot(
    robots.joint('left', 'revolute', 'base', 'left', xyz='0 1 0', limit=LIMIT),
    robots.joint('right', 'revolute', 'base', 'right', xyz='0 -1 0', limit=LIMIT),
    robots.joint('badge', 'fixed', 'base', 'badge', xyz='0 0 1'),
    robots.joint('right_slide', 'prismatic', 'right', 'right_tool', axis='1 0 0', limit=LIMIT),
    robots.joint('left_hand', 'continuous', 'left', 'left_hand', xyz='1 0 0'))


def test_links_and_joints_come_depth_first_with_siblings_in_file_order():
    tree = KinematicTree.from_urdf(BRANCHED)
    assert tree.root == 'base'
    assert list(tree.links) == ['base', 'left', 'left_hand', 'right', 'right_tool', 'badge']
    assert list(tree.joints) == ['left', 'left_hand', 'right', 'right_slide', 'badge']


def test_forward_kinematics_reaches_every_branch():
    T = KinematicTree.from_urdf(BRANCHED).forward(
        {'left': np.pi / 2, 'right': -np.pi / 2, 'right_slide': 0.5})
    assert list(T) == ['base', 'left', 'left_hand', 'right', 'right_tool', 'badge']
    assert T['left_hand'][:3, 3] == pytest.approx([0.0, 2.0, 0.0], abs=1e-15)
    assert T['right_tool'][:3, 3] == pytest.approx([0.0, -1.5, 0.0], abs=1e-15)
    assert T['badge'][:3, 3] == pytest.approx([0.0, 0.0, 1.0])


def test_joints_left_out_are_at_zero():
    tree = KinematicTree.from_urdf(BRANCHED)
    assert tree.forward()['left_hand'] == pytest.approx(tree.forward({'left': 0.0})['left_hand'])


def test_mimics_follow_through_a_chain_of_them():
    tree = KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'revolute', 'base', 'la', limit=LIMIT),
        robots.joint('b', 'revolute', 'base', 'lb', limit=LIMIT,
                     mimic='joint="a" multiplier="2" offset="0.1"'),
        robots.joint('c', 'prismatic', 'base', 'lc', limit=LIMIT,
                     mimic='joint="b" multiplier="-1" offset="0.05"')))
    values = tree.joint_values({'a': 0.3})
    assert values == pytest.approx({'a': 0.3, 'b': 0.7, 'c': -0.65})
    assert tree.forward({'a': 0.3})['lc'][2, 3] == pytest.approx(-0.65)


def test_limits_are_those_of_a_known_joint():
    tree = KinematicTree.from_urdf(BRANCHED)
    assert tree.limits('left') == tree.limits('left', [[], None]) == (-1.0, 1.0)
    with pytest.raises(ModelError, match="no joint 'letf'; did you mean 'left'"):
        tree.limits('letf')
    with pytest.raises(IkError):
        tree.limits('left', 5)


def test_a_mimic_of_a_fixed_joint_is_refused():
    with pytest.raises(ModelError, match="joint 'b' mimics 'a', which is fixed"):
        KinematicTree.from_urdf(robots.robot(
            robots.joint('a', 'fixed', 'base', 'la'),
            robots.joint('b', 'revolute', 'base', 'lb', limit=LIMIT,
                         mimic='joint="a" multiplier="2" offset="0.1"')))


@pytest.mark.parametrize(('values', 'words'), [
    ({'letf': 0.1}, "no joint 'letf'; did you mean 'left'"),
    ({'left': float('nan')}, "joint 'left' is nan"),
    ({'left': float('inf')}, "joint 'left' is inf")])
def test_forward_refuses_unknown_joints_and_values_that_are_no_numbers(values, words):
    with pytest.raises(ModelError, match=words):
        KinematicTree.from_urdf(BRANCHED).forward(values)


def test_what_is_no_text_is_refused_as_the_urdf_or_a_warning_of_a_robot():
    endless = []
    endless.append(endless)
    joints = [Joint('j', 'revolute', 'a', 'b')]
    for arguments in ({'text': endless}, {'warnings': endless}, {'warnings': [3]}):
        with pytest.raises(ModelError, match='must be text'):
            KinematicTree(['a', 'b'], joints, **arguments)


def test_the_tip_is_the_only_leaf_below_the_base_or_the_one_named_tool_or_tcp():
    tree = KinematicTree.from_urdf(BRANCHED)
    assert tree.chain('left').tip_link == 'left_hand'
    assert tree.chain().tip_link == 'right_tool'


def test_without_a_single_tip_the_leaves_are_listed():
    text = BRANCHED.replace('left_hand"', 'left_TCP"')
    with pytest.raises(ModelError, match=r"the leaves are 'left_TCP', 'right_tool', 'badge'"):
        KinematicTree.from_urdf(text).chain()


@pytest.mark.parametrize(('base', 'tip', 'words'), [
    (None, 'rihgt_tool', "no tip link 'rihgt_tool'; did you mean 'right_tool'"),
    ('bsae', None, "no base link 'bsae'; did you mean 'base'"),
    ('left', 'right_tool', "'left' is no ancestor of the tip link 'right_tool'; its ancestors are "
                           "'right', 'base'"),
    (None, 'badge', "no joint moves between 'base' and 'badge'"),
    ('base', 'base', "no joint moves between 'base' and 'base'")])
def test_a_chain_that_cannot_be_is_refused(base, tip, words):
    with pytest.raises(ModelError, match=words):
        KinematicTree.from_urdf(BRANCHED).chain(base, tip)


def fixed(name, parent, child):
    return Joint(name, 'fixed', parent, child)


@pytest.mark.parametrize(('links', 'joints', 'words'), [
    ([], [], 'has no links'),
    (['a', 'a'], [], "two links are named 'a'"),
    (['a', 'b'], [], "has 2: 'a', 'b'"),
    (['a', 'b', 'c'], [fixed('j', 'a', 'b'), fixed('j', 'b', 'c')], "two joints are named 'j'"),
    (['a', 'b'], [fixed('j', 'a', 'x')], "joint 'j': there is no child link 'x'"),
    (['a', 'b'], [fixed('j', 'x', 'b')], "joint 'j': there is no parent link 'x'"),
    (['a', 'b', 'c'], [fixed('j', 'a', 'c'), fixed('k', 'b', 'c')],
     "joint 'k': its child link 'c' already has a parent, by joint 'j'"),
    (['a', 'b'], [fixed('j', 'a', 'b'), fixed('k', 'b', 'a')], 'form a loop'),
    (['a', 'b', 'c'], [fixed('j', 'b', 'c'), fixed('k', 'c', 'b')], "'b', 'c' form a loop"),
    (['a', 'b'], [Joint('j', 'revolute', 'a', 'b', mimic=Mimic('x'))],
     "joint 'j' mimics another: there is no joint 'x'"),
    (['a', 'b'], [Joint('j', 'revolute', 'a', 'b', mimic=Mimic('j'))], "mimics itself: j → j")])
def test_what_is_no_tree_is_refused_by_name(links, joints, words):
    with pytest.raises(ModelError, match=words):
        KinematicTree(links, joints)


def test_no_tree_is_too_deep():
    links = [f'l{i}' for i in range(5000)]
    joints = [Joint(f'j{i}', 'continuous', f'l{i}', f'l{i + 1}') for i in range(4999)]
    tree = KinematicTree(links, joints)
    assert tree.chain().n_joints == 4999
    assert tree.forward({'j0': 0.5})['l4999'][0, 0] == pytest.approx(1.0)


def test_a_placed_figure_stands_elsewhere_as_a_whole_and_is_the_same_arm():
    tree = robots.tree('baxter')
    T = np.eye(4)
    T[:3, 3] = 1, 2, 3
    T[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    placed = tree.placed(T)
    q = {'left_s0': 0.5, 'right_e1': 1.0}
    here = tree.forward(q)
    for link, T_world_link in placed.forward(q).items():
        assert T_world_link == pytest.approx(T @ here[link], abs=1e-14)
    assert (placed.T_world_root == T).all()
    assert (tree.T_world_root == np.eye(4)).all()
    chains = placed.chain('torso', 'left_gripper'), tree.chain('torso', 'left_gripper')
    assert (chains[0].forward(np.full(7, 0.3)) == chains[1].forward(np.full(7, 0.3))).all()


@pytest.mark.parametrize('T', [np.eye(3), 2 * np.eye(4), np.full((4, 4), np.nan), 'here'])
def test_a_place_that_is_no_pose_is_refused(T):
    with pytest.raises(IkError, match='T_world_root'):
        robots.tree('baxter').placed(T)


@pytest.mark.parametrize('values', [{'left': 'a'}, {'left': [1, 2]}, {'left': None}, [1.0]])
def test_joint_values_that_are_no_numbers_are_refused(values):
    with pytest.raises(ModelError, match=r"joint 'left' must be a number|must be a mapping"):
        KinematicTree.from_urdf(BRANCHED).forward(values)


def test_values_that_would_be_ignored_are_refused():
    tree = KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'continuous', 'base', 'l1'),
        robots.joint('b', 'continuous', 'l1', 'l2', mimic='joint="a" multiplier="2"'),
        robots.joint('f', 'fixed', 'l2', 'tip')))
    with pytest.raises(ModelError, match=r"'b' follows 'a', here to 0: .* cannot be 0.3; .* 'a'"):
        tree.forward({'b': 0.3})
    with pytest.raises(ModelError, match="'b' follows 'a', here to 0.4"):
        tree.joint_values({'a': 0.2, 'b': 0.3})
    with pytest.raises(ModelError, match="'f' is fixed"):
        tree.visual_poses({'f': 0.1})
    both = tree.joint_values({'a': 0.2})
    assert both == {'a': 0.2, 'b': 0.4}
    assert tree.forward(both)['tip'] == pytest.approx(tree.forward({'a': 0.2})['tip'])


def test_a_chain_between_branches_is_refused_with_what_to_use():
    tree = KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'continuous', 'base', 'left'),
        robots.joint('b', 'continuous', 'base', 'right')))
    with pytest.raises(ModelError, match='no ancestor.*RelativePose'):
        tree.chain('left', 'right')
