"""A phone whose page commands poses: its clutch, its web server, and a real browser."""

import http.client
import json
import queue
import socket
import subprocess

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import JointState

pytest.importorskip('websockets', reason='websockets is not installed (make test brings it)')

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from harness.ros_harness import seconds
from harness.servo_rig import CHAIN, JOGS, POSES, START, samples, servo
from harness.teleop_rig import teleop
from ik_node.motion.limits import motion_limits
from ik_node.ros.clients.phone import GAP, Clutch, PhonePage, Touch, orientation
from ik_node.ros.conversions import matrix_to_pose, pose_to_matrix
from ik_node.spatial import matrix_from_rpy
from ik_node.support.exceptions import InputError

TIP = 'ik_node/tip_pose'
TIP_POSE = CHAIN.forward(np.array(START))


def touch(time, drag=(0.0, 0.0, 0.0), R=None, held=True, grip=0):
    return Touch(time, held, np.array(drag), R, grip)


def text(**changes):
    return json.dumps({'time': 1.0, 'held': True, 'drag': [0, 0, 0], 'turn': None, 'grip': 0,
                       **changes})


def poses(clutch, touches, T=TIP_POSE):
    for one in touches:
        clutch.age(one, one.time)
        yield clutch.pose(one, T)


def test_a_clutch_begins_where_the_tip_is_whatever_was_dragged_before():
    for drag in ([0.0, 0.0, 0.0], [0.3, -0.2, 0.7]):
        (T,) = poses(Clutch(0.2), [touch(0.0, drag, matrix_from_rpy(0.3, 1.0, 2.0))])
        assert T == pytest.approx(TIP_POSE, abs=1e-12)


@pytest.mark.parametrize(('drag', 'moved'), [
    ([0.0, 0.5, 0.0], [0.1, 0.0, 0.0]), ([0.5, 0.0, 0.0], [0.0, -0.1, 0.0]),
    ([0.0, 0.0, 0.5], [0.0, 0.0, 0.1])], ids=['up: forward', 'to the right', 'the bar: up'])
def test_dragging_moves_the_tip_along_the_axes_of_the_base(drag, moved):
    *_, T = poses(Clutch(0.2), [touch(0.0, [0.1, 0.1, 0.1]), touch(0.02, np.add(drag, 0.1))])
    assert T[:3, 3] - TIP_POSE[:3, 3] == pytest.approx(moved)
    assert T[:3, :3] == pytest.approx(TIP_POSE[:3, :3])


@pytest.mark.parametrize('heading', [0.0, 2.0])
@pytest.mark.parametrize(('angles', 'rpy'), [
    ((0.3, 0.0, 0.0), (0.0, 0.0, 0.3)), ((0.0, 0.3, 0.0), (0.0, -0.3, 0.0)),
    ((0.0, 0.0, 0.3), (0.3, 0.0, 0.0))],
    ids=['turned on the table', 'top lifted', 'tilted to the right'])
def test_turning_a_phone_turns_the_tip_likewise_wherever_north_is(angles, rpy, heading):
    R = orientation(heading, 0.0, 0.0)
    *_, T = poses(Clutch(0.2), [touch(0.0, R=R), touch(0.02, R=R @ orientation(*angles))])
    assert T[:3, :3] == pytest.approx(matrix_from_rpy(*rpy) @ TIP_POSE[:3, :3])
    assert T[:3, 3] == pytest.approx(TIP_POSE[:3, 3])


@pytest.mark.parametrize('between', ['silence', 'let go', 'turning switched on'])
def test_it_begins_anew_where_the_tip_is_then(between):
    clutch, moved, R = Clutch(0.2), TIP_POSE.copy(), None
    moved[0, 3] += 0.05
    list(poses(clutch, [touch(0.0), touch(0.02, [0.0, 1.0, 0.0])]))
    time = 0.04
    if between == 'silence':
        time += GAP
    elif between == 'let go':
        clutch.age(touch(0.03, held=False), 0.03)
    else:
        R = np.eye(3)
    (T,) = poses(clutch, [touch(time, [5.0, -3.0, 1.0], R)], moved)
    assert T == pytest.approx(moved)


def test_messages_that_were_long_on_their_way_are_as_old_as_they_are():
    clutch = Clutch(0.2)
    arrivals = [(0.0, 7.0), (0.02, 7.02), (0.04, 7.34), (0.06, 7.34), (0.34, 7.341)]
    ages = [clutch.age(touch(sent), arrived) for sent, arrived in arrivals]
    assert ages == pytest.approx([0.0, 0.0, 0.3, 0.28, 0.001], abs=1e-3)


@pytest.mark.parametrize('wrong', [
    'x', '[]', '{}', text(drag=[1, 2]), text(drag=[1, 2, None]), text(turn=[1, 2, 'x']),
    text(time='x'), text(time=None), text(grip=[1]), text(drag=[1e999, 0, 0]), '[' * 900],
    ids=range(11))
def test_malformed_messages_are_refused(wrong):
    with pytest.raises(InputError):
        Touch.of(wrong)


def test_a_held_phone_commands_poses_from_where_the_tip_is_and_nothing_else_does(control_msgs):
    with teleop(input='phone', gripper_joints='[finger]') as source:
        sent, jogged = source.listen(PoseStamped, POSES), source.listen(JointState, JOGS)
        send = source.subject.touch
        send(touch(0.0), True)
        assert sent == []  # it is unknown where the tip is
        tip = PoseStamped(pose=matrix_to_pose(TIP_POSE))
        tip.header.frame_id = 'arm/base_link'
        source.publish(PoseStamped, TIP, tip)
        send(touch(0.0, held=False))
        send(touch(0.0))
        send(touch(0.0, [0.0, 0.5, 0.0]))
        for grip in (1, -1, 0, 0):
            send(touch(0.0, held=False, grip=grip))
        assert [one.header.frame_id for one in sent] == ['arm/base_link'] * 2
        assert [one.pose.position.x - TIP_POSE[0, 3] for one in sent] == pytest.approx([0.0, 0.1])
        assert [list(one.velocity) for one in jogged] == [[0.5], [-0.5], [0.0]]


@pytest.fixture
def page():
    touches = queue.Queue()
    page = PhonePage('127.0.0.1', 0, '', '', lambda *one: touches.put(one))
    page.touches = touches
    yield page
    page.close()


def response(port, host='localhost', origin=None, path='/'):
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=60)
    connection.putrequest('GET', path, skip_host=True)
    connection.putheader('Host', f'{host}:{port}')
    if origin:
        connection.putheader('Origin', origin)
    connection.endheaders()
    got = connection.getresponse()
    return got.status, got.read().decode()


def test_the_page_is_served_by_its_own_names_only_and_not_to_foreign_sites(page):
    status, html = response(page.port)
    assert status == 200
    assert 'Hold to move' in html
    assert response(page.port, 'evil.example')[0] == 403
    assert response(page.port, origin='http://evil.example')[0] == 403
    assert response(page.port, path='/other')[0] == 404
    address = f'ws://localhost:{page.port}/touch'
    with pytest.raises(InvalidStatus, match='403'):
        connect(address, origin='http://evil.example')
    with connect(address, origin=f'http://localhost:{page.port}') as phone:
        phone.send(text())
        assert phone.recv(timeout=60) == ''


def test_one_phone_at_a_time_commands_and_a_malformed_message_ends_it(page):
    address = f'ws://localhost:{page.port}/touch'
    page.text = 'it is near a singularity'
    with connect(address) as first:
        first.send(text())
        assert first.recv(timeout=60) == 'it is near a singularity'
        with connect(address) as second, pytest.raises(ConnectionClosed, match='another phone'):
            second.recv(timeout=60)
        first.send('{}')
        with pytest.raises(ConnectionClosed, match='malformed'):
            first.recv(timeout=60)
    assert page.touches.get(timeout=60)[1]
    assert page.touches.empty()
    assert page._free.acquire(timeout=60)  # the first one is gone
    page._free.release()
    with connect(address) as third:
        third.send(text())
        assert third.recv(timeout=60)


def test_what_the_page_cannot_be_served_with_is_refused(tmp_path):
    with pytest.raises(InputError, match='needs a certificate'):
        PhonePage('0.0.0.0', 0, '', '', print)
    (tmp_path / 'empty.pem').write_text('')
    for name in ('empty.pem', 'missing.pem'):
        with pytest.raises(InputError, match=name):
            PhonePage('127.0.0.1', 0, str(tmp_path / name), '', print)
    with socket.create_server(('127.0.0.1', 0)) as taken, pytest.raises(InputError, match='port'):
        PhonePage('127.0.0.1', taken.getsockname()[1], '', '', print)


def test_a_host_of_others_is_served_by_https_at_an_address_that_must_be_known(tmp_path):
    import ssl
    made = subprocess.run(
        ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=robot.example',
         '-keyout', tmp_path / 'key.pem', '-out', tmp_path / 'cert.pem'], capture_output=True)
    if made.returncode:
        pytest.skip('openssl makes no certificate')
    page = PhonePage('0.0.0.0', 0, str(tmp_path / 'cert.pem'), str(tmp_path / 'key.pem'), print)
    try:
        path = page.address.removeprefix(f'https://localhost:{page.port}')
        assert len(path) > 12
        for name, status in ((path, 200), ('/', 404), ('/touch', 404)):
            connection = http.client.HTTPSConnection(
                'localhost', page.port, timeout=60, context=ssl._create_unverified_context())
            connection.request('GET', name)
            assert connection.getresponse().status == status
    finally:
        page.close()


def test_where_the_tip_is_goes_to_those_who_listen():
    with servo(command_type='pose') as node:
        node.spin(0.1)
        tips = node.listen(PoseStamped, TIP)
        states = node.listen(JointState, 'joint_states')
        assert node.until(lambda: tips)
        assert tips[-1].header.frame_id == CHAIN.base_link
        assert pose_to_matrix(tips[-1].pose) == pytest.approx(
            CHAIN.forward(np.array(states[-1].position)), abs=1e-9)


def test_the_topic_of_the_status_is_shown_on_the_page():
    with teleop(input='phone') as source:
        source.subject._phone = page = type('Page', (), {'text': '', 'close': lambda _: None})()
        source.publish(DiagnosticStatus, 'ik_node/status', DiagnosticStatus(message='it is paused'))
        source.subject.touch(touch(0.0), True)
        assert 'is its motion servo?' in page.text
        source.publish(PoseStamped, TIP, PoseStamped())
        source.subject.touch(touch(0.0))
        assert page.text == 'it is paused'


class Phone:
    """A phone in Chromium, its teleoperation, and the arm that follows it; time is the arm's.

    Each message of the phone lets 20 ms pass.
    """

    def __init__(self, node, source, page, browser):
        self.node, self.source, self.page, self._browser = node, source, page, browser
        self._cdp = browser.context.new_cdp_session(browser)
        self.states = node.listen(JointState, 'joint_states')
        self._tips = node.listen(PoseStamped, TIP)
        self._sent = source.listen(PoseStamped, POSES)
        node.spin(0.1)

    def turn(self, *angles):
        self._cdp.send('DeviceOrientation.setDeviceOrientationOverride', dict(zip(
            ('alpha', 'beta', 'gamma'), angles)))

    def finger(self, kind, *points):
        self._cdp.send('Input.dispatchTouchEvent', {'type': kind, 'touchPoints': [
            {'x': x, 'y': y} for x, y in points]})

    def follow(self, done):
        """Let the arm follow what the phone sends until a condition holds."""
        for _ in range(2000):
            if done():
                return True
            try:
                arrived = self.page.touches.get(timeout=0.05)
            except queue.Empty:
                self._browser.evaluate('1')  # its events
                continue
            self.source.publish(PoseStamped, TIP, self._tips[-1])
            count = len(self._sent)
            self.source.subject.touch(*arrived)
            for command in self._sent[count:]:
                command.header.stamp.sec = command.header.stamp.nanosec = 0
                self.node.publish(PoseStamped, POSES, command)
            self.node.spin(0.02)
        return False

    @property
    def T(self):
        return CHAIN.forward(np.array(self.states[-1].position))

    @property
    def speed(self):
        return np.abs(self.states[-1].velocity).max()


@pytest.mark.slow
def test_a_phone_in_a_browser_moves_the_arm_without_a_jump_and_its_loss_stops_it(page):
    pytest.importorskip('viser', reason='viser is not installed (make test brings it)')
    from harness.browser import page_of, until
    limits = motion_limits(CHAIN)
    with servo(command_type='pose') as node, teleop(input='phone') as source, page_of(
            page.port, {'width': 390, 'height': 844}, is_phone=True) as (browser, said):
        phone = Phone(node, source, page, browser)
        phone.turn(40.0, 0.0, 0.0)
        assert until(lambda: browser.text_content('#state') == 'Connected', page=browser)
        begin = phone.T
        browser.tap('#turn')
        phone.finger('touchStart', (150, 500))
        for step in range(1, 9):
            phone.finger('touchMove', (150, 500 - 12 * step))
        assert phone.follow(lambda: phone.T[0, 3] - begin[0, 3] > 0.03)  # 96 of 390 pixels: 5 cm
        assert phone.T[1:3, 3] == pytest.approx(begin[1:3, 3], abs=5e-3)
        phone.turn(40.0, 0.0, 20.0)
        assert phone.follow(lambda: (phone.T[:3, :3] @ begin[:3, :3].T)[2, 1] > np.sin(0.3))
        phone.finger('touchEnd')
        assert phone.follow(lambda: phone.speed < 1e-6)
        rest = phone.T
        phone.turn(0.0, 50.0, -30.0)  # while it is not held
        assert phone.follow(lambda: not phone.page.touches.qsize())
        phone.finger('touchStart', (200, 300))  # elsewhere: it begins anew
        assert phone.follow(lambda: browser.text_content('#state') == 'The arm follows')
        assert phone.T == pytest.approx(rest, abs=2e-3)
        phone.finger('touchMove', (200, 380))
        assert phone.follow(lambda: phone.speed > 0.03)
        browser.goto('about:blank')  # the connection is lost while the finger is down
        while not page.touches.empty():
            page.touches.get()
        stopped = seconds(phone.states[-1].header.stamp)
        assert node.until(lambda: phone.speed < 1e-6, timeout=1.0)
        # The stop takes a while, after the time-out.
        assert seconds(phone.states[-1].header.stamp) - stopped < 0.1 + 0.6
        q, v = samples(phone.states)
        assert (np.abs(v) <= limits.velocity * 1.0001).all()
        assert (np.abs(np.diff(q, axis=0)) <= limits.velocity / 200.0 * 1.001).all()
        assert (np.abs(np.diff(v, axis=0)) <= limits.acceleration / 200.0 * 1.001).all()
        assert [line for kind, line in said if kind == 'error'] == []
