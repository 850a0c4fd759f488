"""Several solvers side by side: one goal, each with its own node."""

import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

import robots
from browser import page_of, until, view_of
from domains import Domain
from ik_node import KinematicTree
from ik_node.ros.clients.client import Client
from ik_node.support.processes import node_command, running

pytestmark = pytest.mark.slow

SOLVERS = ('dls', 'transpose')


@pytest.fixture
def domain(monkeypatch):
    domain = Domain()
    monkeypatch.setenv('ROS_DOMAIN_ID', str(domain.id))
    yield domain.id
    domain.give_back()


def test_a_goal_goes_to_all_that_are_compared(domain):
    file = robots.OWN / 'arm_6r.urdf'
    nodes = [running(node_command(file, solver, ros_arguments=['-r', f'__ns:=/{solver}']))
             for solver in SOLVERS]
    chain = KinematicTree.from_urdf(file).chain()
    goal = chain.forward(chain.neutral() + 0.2)
    robot_views = [{'name': solver, 'namespace': f'/{solver}'} for solver in SOLVERS]
    with nodes[0], nodes[1], view_of(domain, *robot_views) as (_, view, shown):
        assert until(lambda: view.page.handle_pose is not None and all(
            one.chain and one.values and one.parameters for one in shown), 60)
        view.page.handles.drag_to(goal)
        assert until(lambda: all(robot_view.reports for robot_view in shown), 60)
        for robot_view, solver in zip(shown, SOLVERS):
            assert robot_view.reports[-1].values['solver'] == solver
            assert robot_view.reports[-1].level == 0
            assert until(lambda s=robot_view: np.allclose(chain.forward(
                [s.values[name] for name in chain.joint_names]), goal, atol=1e-5), 60)
        places = [robot_view.frame.position for robot_view in shown]
        assert np.linalg.norm(places[0] - places[1]) > shown[0].reach
        assert until(lambda: view._readout.content.count('● reached') == 2 and all(
            f'>{solver}</span>' in view._readout.content for solver in SOLVERS), 60)


def test_ik_view_brings_a_node_for_every_solver_it_compares(domain):
    process = subprocess.Popen(
        [sys.executable, '-m', 'ik_node.viewer', '--robot', 'planar_3r', '--compare', *SOLVERS,
         '--port', '0'], stdout=subprocess.PIPE, text=True,
        env={**os.environ, 'PYTHONUNBUFFERED': '1'})
    address = re.search(r'ik_view: http://127\.0\.0\.1:(\d+)', process.stdout.readline())
    for solver in SOLVERS:
        with Client(namespace=solver, domain_id=domain) as client:
            assert client.spin_until(lambda c=client: c._joints, 60.0)
    with page_of(int(address.group(1))) as (page, _):
        assert until(lambda: page.locator('.ik-state', has_text='no goal yet').count() == len(
            SOLVERS), 60, page)
        assert all(solver in page.inner_text('body') for solver in SOLVERS)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
