"""A marker, and what every message of markers must keep for RViz to say nothing about it."""

import math

from geometry_msgs.msg import Point, Pose, Quaternion, Vector3
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker

# Which of the scale's parts RViz wants above zero; texts take one for their blanks, too.
_SCALES = {**dict.fromkeys((Marker.CUBE, Marker.SPHERE, Marker.CYLINDER, Marker.CUBE_LIST,
                            Marker.SPHERE_LIST, Marker.MESH_RESOURCE), 'xyz'),
           Marker.ARROW: 'xy', Marker.LINE_STRIP: 'x', Marker.LINE_LIST: 'x',
           Marker.TEXT_VIEW_FACING: 'xz'}


def marker(kind, number, **given):
    """Return a marker of a size of 0.1 m in the frame base."""
    return Marker(header=Header(frame_id='base'), id=number, type=kind, action=Marker.ADD,
                  scale=Vector3(x=0.1, y=0.1, z=0.1), **{
                      'ns': 'n', 'color': ColorRGBA(r=1.0, a=1.0), 'pose': Pose(
                          position=Point(x=1.0), orientation=Quaternion(w=1.0)), **given})


def check_markers(array, frames):
    """Check a MarkerArray; frames: those that tf knows."""
    keys = [(marker.ns, marker.id) for marker in array.markers]
    assert len(keys) == len(set(keys)), keys
    for marker in array.markers:
        assert marker.ns
        assert marker.header.frame_id in frames
        if marker.action == Marker.DELETE:
            continue
        assert marker.action == Marker.ADD
        assert marker.lifetime.sec + 1e-9 * marker.lifetime.nanosec > 0.5
        assert (marker.header.stamp.sec, marker.header.stamp.nanosec) == (0, 0)  # the latest
        for part in _SCALES[marker.type]:
            assert 0.0 < getattr(marker.scale, part) < math.inf, (marker.ns, marker.scale)
        check_pose(marker.pose)
        for color in (marker.color, *marker.colors):
            assert all(0.0 <= getattr(color, channel) <= 1.0 for channel in 'rgb')
            assert 0.0 < color.a <= 1.0
        for point in marker.points:
            assert math.isfinite(point.x + point.y + point.z)
        if marker.type in (Marker.LINE_LIST, Marker.LINE_STRIP, Marker.CUBE_LIST,
                           Marker.SPHERE_LIST):
            assert marker.points
            assert len(marker.colors) in (0, len(marker.points))
        if marker.type == Marker.LINE_LIST:
            assert len(marker.points) % 2 == 0
        if marker.type == Marker.ARROW:
            assert len(marker.points) == 2
        assert (marker.type == Marker.TEXT_VIEW_FACING) == bool(marker.text)
        assert marker.text.isascii()


def check_pose(pose):
    """Check that a pose is finite, and its quaternion a unit one."""
    p, o = pose.position, pose.orientation
    assert math.isfinite(p.x + p.y + p.z)
    assert abs(o.x ** 2 + o.y ** 2 + o.z ** 2 + o.w ** 2 - 1.0) < 1e-9
