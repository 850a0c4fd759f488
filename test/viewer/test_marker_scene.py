import numpy as np
import pytest
import trimesh
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Point, Pose, Quaternion, Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from harness.marker_checks import marker
from ik_node.model.geometry import Mesh
from ik_node.model.meshes import MeshError
from ik_node.viewer.marker_scene import MarkerScene
from ik_node.viewer.scene_nodes import matrix

POINTS = [Point(x=0.1 * k) for k in range(6)]
KINDS = {Marker.ARROW: {'points': POINTS[:2]},
         Marker.CUBE: {}, Marker.SPHERE: {}, Marker.CYLINDER: {},
         Marker.LINE_STRIP: {'points': POINTS}, Marker.LINE_LIST: {'points': POINTS},
         Marker.CUBE_LIST: {'points': POINTS}, Marker.SPHERE_LIST: {'points': POINTS},
         Marker.TEXT_VIEW_FACING: {'text': 'here'}}


@pytest.mark.parametrize('kind', KINDS)
def test_every_kind_of_marker_is_drawn_in_its_frame_until_it_is_deleted(server, kind):
    scene = MarkerScene(server, '/m', None)
    T = matrix((0.0, 2.0, 0.0), (0.0, 0.0, 0.0, 1.0))  # half a turn about z
    scene.show(MarkerArray(markers=[marker(kind, 1, **KINDS[kind])]), {'base': T})
    handle = server.scene.get_handle_by_name('/m/n_1')
    assert handle.position == pytest.approx([-1.0, 2.0, 0.0], abs=1e-6)
    moved = marker(kind, 1, **{**KINDS[kind], 'pose': Pose(position=Point(x=3.0))})
    scene.show(MarkerArray(markers=[moved]), {'base': T})
    assert server.scene.get_handle_by_name('/m/n_1') is handle  # what looks as before only moves
    assert handle.position == pytest.approx([-3.0, 2.0, 0.0], abs=1e-6)
    gone = marker(kind, 1)
    gone.action = Marker.DELETE
    scene.show(MarkerArray(markers=[gone]), {'base': T})
    assert server.scene.get_handle_by_name('/m/n_1') is None


def test_a_mesh_is_drawn_at_its_scale_and_one_that_cannot_be_read_is_left_out(server):
    asked = []

    def load(mesh):
        asked.append(mesh)
        if 'none' in mesh.filename:
            raise MeshError('not found')
        return trimesh.creation.box((1.0, 2.0, 3.0))
    scene = MarkerScene(server, '/mesh', load)
    found, lost = (marker(Marker.MESH_RESOURCE, k, mesh_resource=f'file:///{name}.stl')
                   for k, name in enumerate(('part', 'none')))
    found.scale = lost.scale = Vector3(x=0.1, y=0.2, z=0.3)
    scene.show(MarkerArray(markers=[found, lost]), {'base': np.eye(4)})
    assert asked[0] == Mesh('file:///part.stl', (0.1, 0.2, 0.3))
    handle = server.scene.get_handle_by_name('/mesh/n_0')
    assert np.ptp(handle.vertices, axis=0) == pytest.approx([1.0, 2.0, 3.0])
    assert server.scene.get_handle_by_name('/mesh/n_1') is None


def test_a_marker_that_is_locked_to_its_frame_follows_it(server):
    scene = MarkerScene(server, '/locked', None)
    held = marker(Marker.CUBE, 1, frame_locked=True)
    scene.show(MarkerArray(markers=[held, marker(Marker.CUBE, 2)]), {'base': np.eye(4)})
    T = matrix((0.0, 0.0, 2.0), (1.0, 0.0, 0.0, 0.0))
    scene.follow({'base': T})
    first, second = (server.scene.get_handle_by_name(f'/locked/n_{k}').position for k in (1, 2))
    assert first - second == pytest.approx([0.0, 0.0, 2.0])


def test_lists_of_solids_keep_their_size_along_every_axis(server):
    scene = MarkerScene(server, '/s', None)
    bars = marker(Marker.CUBE_LIST, 1, points=POINTS)
    bars.scale = Vector3(x=0.1, y=0.02, z=0.03)
    bars.colors = [ColorRGBA(g=1.0, a=1.0)] * len(POINTS)
    scene.show(MarkerArray(markers=[bars]), {'base': np.eye(4)})
    handle = server.scene.get_handle_by_name('/s/n_1')
    assert np.ptp(handle.vertices, axis=0) == pytest.approx([1.0, 1.0, 1.0])
    assert handle.batched_scales[0] == pytest.approx([0.1, 0.02, 0.03])
    assert len(handle.batched_positions) == len(POINTS)


def test_a_marker_that_changes_is_the_new_one(server):
    scene = MarkerScene(server, '/c', None)
    for words, color in (('before', ColorRGBA(r=1.0, a=1.0)), ('after', ColorRGBA(g=1.0, a=1.0))):
        scene.show(MarkerArray(markers=[marker(Marker.TEXT_VIEW_FACING, 1, text=words),
                                        marker(Marker.SPHERE, 2, color=color)]),
                   {'base': np.eye(4)})
    assert server.scene.get_handle_by_name('/c/n_1').text == 'after'
    assert tuple(server.scene.get_handle_by_name('/c/n_2').color) == (0, 255, 0)


def test_markers_of_a_hidden_layer_are_drawn_when_it_is_shown_again(server):
    scene = MarkerScene(server, '/l', None)
    frames = {'base': np.eye(4)}
    made = [marker(Marker.SPHERE, 1, ns='left/trail'), marker(Marker.SPHERE, 2, ns='left/goal'),
            marker(Marker.TEXT_VIEW_FACING, 3, ns='left/goal', text='met')]

    def drawn():
        return [number for name, number in (('trail', 1), ('goal', 2), ('goal', 3))
                if server.scene.get_handle_by_name(f'/l/left/{name}_{number}') is not None]
    scene.show(MarkerArray(markers=made), frames)
    assert drawn() == [1, 2, 3]
    scene.hidden = frozenset({'trail'})
    scene.refresh()
    assert drawn() == [2, 3]
    made[0].pose.position.x = 2.0
    scene.hidden = frozenset({'trail', 'labels'})
    scene.show(MarkerArray(markers=made), frames)
    assert drawn() == [2]
    assert scene.pose(('left/trail', 1))[0, 3] == pytest.approx(2.0)
    scene.hidden, scene.covered = frozenset(), frozenset({'left/goal'})  # a handle is there
    scene.refresh()
    assert drawn() == [1, 3]
    scene.covered = frozenset()
    scene.refresh()
    assert drawn() == [1, 2, 3]
    assert scene.pose(('left/trail', 1))[:3, 3] == pytest.approx([2.0, 0.0, 0.0])
    scene.clear()
    assert drawn() == []


def test_a_long_text_is_wrapped_and_cut_and_a_short_one_is_not(server):
    scene = MarkerScene(server, '/w', None)
    full, rest = ('word ' * 12).strip(), ('word ' * 8).strip()
    for words, lines in (('two\nlines', ['two', 'lines']), ('word ' * 20, [full, rest]),
                         ('word ' * 99, [full, full, full, '…'])):
        scene.show(MarkerArray(markers=[marker(Marker.TEXT_VIEW_FACING, 1, text=words)]),
                   {'base': np.eye(4)})
        assert server.scene.get_handle_by_name('/w/n_1').text.split('\n') == lines


def test_the_pose_of_a_marker_is_sent_though_one_of_its_name_was_removed_just_before(server):
    scene = MarkerScene(server, '/a', None)
    turned = Quaternion(x=0.6, w=0.8)
    scene.show(MarkerArray(markers=[marker(Marker.CUBE, 1, pose=Pose(orientation=turned))]),
               {'base': np.eye(4)})
    upright = marker(Marker.CUBE, 1, pose=Pose(orientation=Quaternion(w=1.0)))
    scene.show(MarkerArray(markers=[Marker(action=Marker.DELETEALL), upright]), {'base': np.eye(4)})
    sent = [message for message in
            server._websock_server.get_message_buffer().message_from_id.values()
            if getattr(message, 'name', '') == '/a/n_1']
    poses = {type(message).__name__: message for message in sent}
    assert poses['SetOrientationMessage'].wxyz == pytest.approx((1.0, 0.0, 0.0, 0.0))
    assert poses['SetPositionMessage'].position == pytest.approx((0.0, 0.0, 0.0))


def test_markers_end_with_their_lifetime_and_those_of_unknown_frames_are_left_out(server):
    scene = MarkerScene(server, '/l', None)
    short = marker(Marker.CUBE, 1)
    short.lifetime = Duration(nanosec=1)
    lost = marker(Marker.CUBE, 2)
    lost.header.frame_id = 'elsewhere'
    scene.show(MarkerArray(markers=[short, lost, marker(Marker.CUBE, 3)]), {'base': np.eye(4)})
    scene.show(MarkerArray(), {'base': np.eye(4)})
    shown = [server.scene.get_handle_by_name(f'/l/n_{k}') is not None for k in (1, 2, 3)]
    assert shown == [False, False, True]


def test_the_pose_of_a_marker_is_exact_though_viser_does_not_take_small_changes(server):
    scene = MarkerScene(server, '/exact', None)
    for x in (1.0, 1.0 + 3e-6):
        scene.show(MarkerArray(markers=[marker(Marker.SPHERE, 1, pose=Pose(
            position=Point(x=x), orientation=Quaternion(w=1.0)))]), {'base': np.eye(4)})
        assert scene.pose(('n', 1))[0, 3] == pytest.approx(x, abs=1e-12)
