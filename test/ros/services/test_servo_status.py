"""What MoveIt may have of servo: its status, and a service for the type of the commands."""

import sys
from types import ModuleType, SimpleNamespace

from ik_node.control.group_servo import JOINT_BOUND
from ik_node.ros.services.servo.servo_commands import ServoCommands, ServoStatus


class Message:
    """Has the fields of moveit_msgs/ServoStatus, and no others."""

    __slots__ = ('code', 'message')
    JOINT_BOUND = 6


def installed(monkeypatch, kind, **types):
    """Let types of moveit_msgs be there."""
    messages = ModuleType(f'moveit_msgs.{kind}')
    vars(messages).update(types)
    monkeypatch.setitem(sys.modules, 'moveit_msgs', ModuleType('moveit_msgs'))
    monkeypatch.setitem(sys.modules, messages.__name__, messages)


def test_the_status_of_an_arm_has_the_code_and_the_text_of_moveit(monkeypatch):
    installed(monkeypatch, 'msg', ServoStatus=Message)
    sent = []
    publisher = SimpleNamespace(publish=lambda one: sent.append((one.code, one.message)))
    node = SimpleNamespace(create_lifecycle_publisher=lambda *_, **__: publisher)
    arm = SimpleNamespace(reason=lambda: (JOINT_BOUND, 'at a limit'))
    status = ServoStatus(node, SimpleNamespace(servos={'left': arm}, waits_for=''),
                         SimpleNamespace(refused={}), SimpleNamespace(status=lambda *_: None))
    status.publish()
    assert sent == [(6, 'left: at a limit')]


def test_moveit_switches_the_type_of_the_commands(monkeypatch):
    class Request:
        JOINT_JOG, TWIST, POSE = 0, 1, 2

    installed(monkeypatch, 'srv', ServoCommandType=SimpleNamespace(Request=Request))
    served, chosen = {}, []
    node = SimpleNamespace(
        create_service=lambda kind, name, serve: served.update({name: serve}),
        set_parameters=lambda parameters: chosen.append(parameters[0].value) or [
            SimpleNamespace(successful=True)])
    ServoCommands(node, *[None] * 7)
    switch = served['~/switch_command_type']
    for command_type, kind in ((0, 'joint'), (1, 'twist'), (2, 'pose')):
        response = switch(SimpleNamespace(command_type=command_type), SimpleNamespace())
        assert response.success
        assert chosen[-1] == kind
    assert not switch(SimpleNamespace(command_type=9), SimpleNamespace()).success
    assert len(chosen) == 3
