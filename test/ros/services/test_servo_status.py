import sys
from types import ModuleType, SimpleNamespace

from ik_node.control.group_servo import JOINT_BOUND
from ik_node.ros.services.servo.servo_commands import ServoStatus


class Message:
    """Has the fields of moveit_msgs/ServoStatus, and no others."""

    __slots__ = ('code', 'message')
    JOINT_BOUND = 6


def test_the_status_of_an_arm_has_the_code_and_the_text_of_moveit(monkeypatch):
    package, messages, sent = ModuleType('moveit_msgs'), ModuleType('moveit_msgs.msg'), []
    messages.ServoStatus = Message
    monkeypatch.setitem(sys.modules, 'moveit_msgs', package)
    monkeypatch.setitem(sys.modules, 'moveit_msgs.msg', messages)
    publisher = SimpleNamespace(publish=lambda one: sent.append((one.code, one.message)))
    node = SimpleNamespace(create_lifecycle_publisher=lambda *_, **__: publisher)
    arm = SimpleNamespace(reason=lambda: (JOINT_BOUND, 'at a limit'))
    status = ServoStatus(node, SimpleNamespace(servos={'left': arm}, waits_for=''),
                         SimpleNamespace(refused={}), SimpleNamespace(status=lambda *_: None))
    status.publish()
    assert sent == [(6, 'left: at a limit')]
