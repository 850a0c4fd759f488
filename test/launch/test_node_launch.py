"""The node in launch files of one's own: parameters from a file, and led through its lifecycle."""

import os

import pytest

launch_pytest = pytest.importorskip(
    'launch_pytest', reason='launch_pytest comes with a full ROS 2 install, not from PyPI')

import lifecycle_msgs.msg
from ament_index_python import get_package_share_path
from launch.actions import EmitEvent, RegisterEventHandler
from launch.event_handlers import OnProcessExit
from launch.events import matches_action
from launch_ros.actions import LifecycleNode, Node
from launch_ros.event_handlers import OnStateTransition
from launch_ros.events.lifecycle import ChangeState

from domains import Domain
from launch import LaunchDescription

try:
    SHARE = get_package_share_path('ik_node')
except LookupError as error:
    pytest.skip(f'{error}: build with colcon and source install/setup.bash first',
                allow_module_level=True)

from lifecycle_msgs.srv import GetState
from rcl_interfaces.srv import GetParameters

from ik_node import KinematicTree
from ik_node.ros.clients.client import Client

DOMAIN = Domain()
CHAIN = KinematicTree.from_urdf(SHARE / 'urdf' / 'scara.urdf').chain()
START = [0.3, -0.4, 0.05, 0.2]
WEIGHTS = [1.0, 1.0, 1.0, 0.0, 0.0, 1.0]
EXITS = []


def described(*actions):
    """Return a description of a graph of its own, that remembers how its processes end."""
    os.environ['ROS_DOMAIN_ID'] = str(DOMAIN.id)
    EXITS.clear()
    return LaunchDescription([
        *actions, RegisterEventHandler(OnProcessExit(
            on_exit=lambda event, _: EXITS.append(event.returncode))),
        launch_pytest.actions.ReadyToTest()])


def call(client, kind, service, request):
    caller = client.node.create_client(kind, service)
    assert client.spin_until(caller.service_is_ready, 60.0)
    future = caller.call_async(request)
    assert client.spin_until(future.done, 60.0)
    return future.result()


@launch_pytest.fixture
def from_file(tmp_path):
    file = tmp_path / 'node.yaml'
    file.write_text(f"""
solver_of_cell_3:
  ros__parameters:
    urdf_path: {SHARE / 'urdf' / 'scara.urdf'}
    solver: analytic
    start_pose: {START}
    task_weights: {WEIGHTS}
    tf_timeout: 1
    analytic: {{position_tolerance: 1.0e-7}}
    dls: {{damping: 0.25, jacobian: goal}}
""")
    return described(Node(package='ik_node', executable='ik_node', name='solver_of_cell_3',
                          parameters=[str(file)]))


@pytest.mark.launch(fixture=from_file)
def test_parameters_come_from_a_file_by_the_nodes_name():
    with Client('solver_of_cell_3', domain_id=DOMAIN.id) as client:
        assert client.spin_until(lambda: client.node.count_publishers('joint_states'), 120.0)
        names = ['solver', 'tf_timeout', 'analytic.position_tolerance', 'dls.damping',
                 'dls.jacobian']
        values = call(client, GetParameters, 'solver_of_cell_3/get_parameters',
                      GetParameters.Request(names=names)).values
        assert values[0].string_value == 'analytic'
        assert (values[1].integer_value, values[2].double_value) == (1, 1e-7)
        assert (values[3].double_value, values[4].string_value) == (0.25, 'goal')
        far = CHAIN.forward(START)
        far[0, 3] = 9.0
        held = client.send(far, timeout=240.0)
        assert [held.joints[name] for name in CHAIN.joint_names] == START
        goal = CHAIN.forward([0.5, 0.6, 0.1, -0.3])
        answer = client.send(goal, timeout=240.0)
        assert answer.met
        assert answer.values['solver'] == 'analytic'
    assert EXITS == []
    yield  # until everything is shut down
    assert EXITS == [0]


@launch_pytest.fixture
def led():
    node = LifecycleNode(
        package='ik_node', executable='ik_node', name='ik_node', namespace='cell',
        parameters=[{'urdf_path': str(SHARE / 'urdf' / 'scara.urdf'), 'autostart': False,
                     'task_weights': WEIGHTS}])

    def change(transition):
        return EmitEvent(event=ChangeState(lifecycle_node_matcher=matches_action(node),
                                           transition_id=transition))
    transitions = lifecycle_msgs.msg.Transition
    return described(
        RegisterEventHandler(OnStateTransition(
            target_lifecycle_node=node, goal_state='inactive',
            entities=[change(transitions.TRANSITION_ACTIVATE)])),
        node, change(transitions.TRANSITION_CONFIGURE))


@pytest.mark.launch(fixture=led)
def test_launch_can_lead_it_through_its_lifecycle():
    with Client(domain_id=DOMAIN.id, namespace='cell') as client:
        assert client.wait_until_ready(120.0)
        state = call(client, GetState, 'ik_node/get_state', GetState.Request()).current_state
        assert state.label == 'active'
        assert client.send(CHAIN.forward(START), timeout=240.0).met
    assert EXITS == []
    yield  # until everything is shut down
    assert EXITS == [0]
