import threading
from types import SimpleNamespace

import numpy as np
import pytest

from harness.page_here import until
from ik_node.viewer.node_parameters import Target
from ik_node.viewer.scene_nodes import matrix
from ik_node.viewer.target_handles import TargetHandles

HAND = Target('hand', 'position', 'palm')
HEAD = Target('head', 'orientation', 'skull')
TRAY = Target('tray', 'relative_pose', 'left', 'right')
UPRIGHT, TURNED = (1.0, 0.0, 0.0, 0.0), (0.6, 0.8, 0.0, 0.0)


class Shown:
    """Handles of a node whose targets and links are set here, and the goals that were sent."""

    def __init__(self, server, *targets):
        self.robot_view = SimpleNamespace(
            is_placed=True, tree='arm', targets=targets, reach=1.0,
            frame=SimpleNamespace(name='/ik_node'),
            target_pose=lambda target: self.poses.get(target),
            target_frame=lambda target: self.frame, cover_goals=lambda handles: None)
        self.poses = {target: matrix((0.1, 0.2, 0.3), UPRIGHT) for target in targets}
        self.frame, self.sent = np.eye(4), []
        self.handles = TargetHandles(server, self.robot_view,
                                     lambda *sent: self.sent.append(sent), print)
        self.handles.update()

    def drag(self, name, T):
        """Drag a handle, and wait until its goal is sent."""
        count = len(self.sent)
        self.handles.named(name).drag_to(T)
        assert until(lambda: len(self.sent) > count)
        assert until(lambda: not self.handles.named(name).drags.busy)

    def place(self, target, T):
        """Move a target; return where its handle is then."""
        self.poses[target] = T
        self.handles.update()
        return self.handles.named(target.name).T


@pytest.fixture
def shown(server):
    made = []

    def make(*targets):
        made.append(Shown(server, *targets))
        return made[-1]
    yield make
    for one in made:
        one.handles.clear()


def test_the_pose_of_a_handle_is_exact_though_viser_does_not_take_small_changes(shown):
    one = shown(HAND)
    for x in (1.0, 1.0 + 3e-6):
        T = matrix((x, 0.0, 0.0), TURNED)
        one.drag('hand', T)
        assert one.handles.named('hand').T == pytest.approx(T, abs=1e-12)
        assert one.sent[-1][1] == pytest.approx(T, abs=1e-12)


def test_a_handle_follows_its_target_until_it_is_dragged_and_after_its_release(shown):
    one = shown(HAND)
    there, dragged = matrix((0.5, 0.0, 0.0), UPRIGHT), matrix((0.0, 0.7, 0.0), UPRIGHT)
    assert one.place(HAND, there) == pytest.approx(there)
    one.drag('hand', dragged)
    assert one.sent[-1][0] == HAND
    assert one.sent[-1][1] == pytest.approx(dragged)
    assert one.place(HAND, matrix((9.0, 0.0, 0.0), UPRIGHT)) == pytest.approx(dragged)
    one.handles.release()
    assert one.place(HAND, there) == pytest.approx(there)


def test_a_handle_is_exactly_at_its_target_after_small_motions(shown):
    one = shown(HAND, TRAY)
    one.drag('tray', np.eye(4))
    for x in (0.3, 0.3 + 1e-7, 0.3 + 2e-7):
        there = one.frame = matrix((x, 0.0, 0.0), TURNED)
        assert one.place(HAND, there) == pytest.approx(there, abs=1e-15)
        assert one.handles.named('tray').T == pytest.approx(there, abs=1e-15)


def test_a_handle_that_is_far_from_the_robot_is_smaller(shown):
    one = shown(Target())
    sizes = []
    for x in (1.0, 4.0, 100.0, 0.5):
        one.drag('', matrix((x, 0.0, 0.0), UPRIGHT))
        sizes.append(one.handles.named('')._handle.scale)
    assert sizes == pytest.approx([115.0, 57.5, 57.5, 115.0])


class Wanted:
    """A lock that notes when somebody wants it."""

    def __init__(self, lock):
        self.lock, self.wanted = lock, threading.Event()

    def __enter__(self):
        self.wanted.set()
        self.lock.acquire()

    def __exit__(self, *_):
        self.lock.release()


def test_a_handle_that_is_led_does_not_go_back_to_its_last_goal(shown):
    one = shown(HAND)
    gizmo = one.handles.named('hand')
    one.drag('hand', matrix((0.0, 0.7, 0.0), UPRIGHT))
    place, led = gizmo._place, matrix((0.0, 0.0, 0.9), UPRIGHT)
    one.handles._changing = changing = Wanted(one.handles._changing)

    def interrupted(T):
        """Place it, while the painter's thread lets it follow its target."""
        gizmo._place = place
        place(T)
        changing.wanted.clear()
        painter.start()
        assert until(lambda: changing.wanted.is_set() or not painter.is_alive())
    painter = threading.Thread(target=one.handles.update)
    gizmo._place = interrupted
    one.handles.drag_to(led, 'hand')
    painter.join(60.0)
    assert gizmo.T == pytest.approx(led)
    assert until(lambda: one.sent[-1][1] == pytest.approx(led))


def test_the_handle_of_an_orientation_stays_at_its_link_and_keeps_its_turn(shown):
    one = shown(HEAD)
    one.drag('head', matrix((0.1, 0.2, 0.3), TURNED))
    T = one.place(HEAD, matrix((0.0, 0.0, 1.0), UPRIGHT))
    assert T == pytest.approx(matrix((0.0, 0.0, 1.0), TURNED))


def test_a_dragged_handle_moves_with_the_reference_of_its_target(shown):
    one = shown(TRAY)
    one.frame = matrix((1.0, 0.0, 0.0), UPRIGHT)
    one.drag('tray', matrix((1.5, 0.0, 0.0), TURNED))
    assert one.sent[-1][1] == pytest.approx(matrix((0.5, 0.0, 0.0), TURNED))
    one.frame = matrix((0.0, 2.0, 0.0), UPRIGHT)
    T = one.place(TRAY, matrix((7.0, 7.0, 7.0), UPRIGHT))
    assert T == pytest.approx(matrix((0.5, 2.0, 0.0), TURNED))


def test_goals_are_those_that_were_sent_wherever_the_frame_is_now(shown):
    one = shown(TRAY)
    one.drag('tray', matrix((0.4, 0.0, 0.0), TURNED))
    one.frame = matrix((0.0, 0.3, 0.0), UPRIGHT)  # has moved, and the handle has not followed yet
    ((target, T_frame_goal),) = one.handles.goals()
    assert target == TRAY
    assert T_frame_goal == pytest.approx(one.sent[-1][1], abs=1e-15)


def test_a_drag_that_is_dropped_leaves_the_handle_where_it_is(shown):
    one = shown(HAND)
    gizmo, T = one.handles.named('hand'), matrix((0.4, 0.0, 0.0), UPRIGHT)
    gizmo.drags.give = lambda _: None
    gizmo.drag_to(T)
    gizmo.drags.drop()
    assert one.place(HAND, np.eye(4)) == pytest.approx(T)


def test_controls_are_those_of_the_parts_that_can_be_dragged(shown):
    one = shown(HAND, HEAD, TRAY)
    disabled = {name: (handle.disable_axes, handle.disable_sliders, handle.disable_rotations)
                for name in ('hand', 'head', 'tray')
                for handle in (one.handles.named(name)._handle,)}
    assert disabled == {'hand': (False, False, True), 'head': (True, True, False),
                        'tray': (False, False, False)}
    balance = Target('balance', 'center_of_mass', initial=(0.0, 0.1))
    two = shown(balance)
    assert two.handles.named('balance')._handle.active_axes == (True, True, False)


def test_handles_come_and_go_with_targets_and_carry_their_names(shown, server):
    one = shown(HAND, HEAD)
    hand = one.handles.named('hand')
    assert server.scene.get_handle_by_name(f'{hand._handle.name}_label').text == 'hand'
    changed = HAND._replace(link='finger')
    one.robot_view.targets = (changed, TRAY)
    one.poses = {changed: np.eye(4)}  # that of the tray is not known yet
    one.handles.update()
    assert one.handles.named('head') is one.handles.named('tray') is None
    assert one.handles.named('hand') is not hand
    assert server.scene.get_handle_by_name(hand._handle.name) is None


def test_rotations_are_hidden_of_the_goal_of_the_arm_alone(shown):
    one = shown(Target())
    one.handles.show_rotations(False)
    assert one.handles.named('')._handle.disable_rotations
    two = shown(TRAY)
    two.handles.show_rotations(False)
    assert not two.handles.named('tray')._handle.disable_rotations


@pytest.mark.parametrize(('tree', 'target'), [
    ('another arm', HAND), ('arm', HAND._replace(initial=(0.0, 0.0, 1.0)))])
def test_a_handle_of_the_robot_or_the_target_before_is_not_dragged(shown, tree, target):
    one = shown(HAND)
    before = one.handles.named('hand')
    one.robot_view.tree, one.robot_view.targets = tree, (target,)  # the handles are not made yet
    one.poses = {target: np.eye(4)}
    assert not one.handles.drag_to(matrix((0.4, 0.0, 0.0), UPRIGHT), 'hand')
    assert not before.is_dragged
    one.handles.update()
    assert one.handles.drag_to(matrix((0.4, 0.0, 0.0), UPRIGHT), 'hand')
    assert until(lambda: one.sent)
    assert one.handles.named('hand') is not before
