"""What the robots stand on: the light, and a floor with the shadow of what is near it."""

from typing import Any

import numpy as np
import trimesh
import viser
from PIL import Image, ImageDraw, ImageFilter

_REACHES = 1.3  # from the outermost robot to the border of the floor
_SQUARES = 10   # in a reach, about
_MOST = 100     # in the radius of the floor
_BELOW = 1e-3   # of the reach: what lies on the ground is drawn above it
# Light, and dark: the floor in its middle and at its border and how much lighter every other
# square is, linear in light, and the light from above and below; page.css has the background.
_COLORS = (((212, 214, 218), (150, 154, 160), 9, (235, 243, 255), (150, 146, 140)),
           ((26, 28, 31), (9, 10, 12), 2, (205, 215, 235), (96, 92, 88)))
_PIXELS = 96     # of the image of the shadow, along each side
_BLUR = 4.0      # pixels
_AROUND = 0.12   # of the reach: what is blurred beside the boxes
_DARKEST = 105   # of 255: right below what touches the floor,
_HIGH = 0.25     # … half as dark at this height, of the reach
_FACES = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))


class GroundPlane:
    """A horizontal floor, round, with squares of 1, 10, 100 mm or so.

    Where the processor renders, opaque triangles of plain colours take less time than viser's grid,
    textures or lines. Shadows and reflections, as viser has them, take two thirds of
    the time of a picture there; the shadow of `shade` is an image.
    """

    def __init__(self, scene: viser.SceneApi) -> None:
        scene.set_up_direction('+z')
        scene.configure_default_lights(enabled=False)
        scene.configure_environment_map(hdri=None)
        self._scene, self._reach = scene, 1.0
        self._floor: Any = None
        self._look: tuple[Any, ...] = ()  # of the floor as it is drawn: radius, square, colours
        self._dark = False
        self._sky = scene.add_light_hemisphere('/light/sky', intensity=2.0)
        scene.add_light_directional('/light/sun', intensity=1.7, position=(0.6, -0.5, 1.0))
        self._shadow = scene.add_image('/shadow', np.zeros((2, 2, 4), np.uint8), 1.0, 1.0,
                                       cast_shadow=False, receive_shadow=False, visible=False)
        self.set_dark(False)
        self.fit(1.0)

    def set_dark(self, dark: bool) -> None:
        """Have the colours of a dark page, or of a light one; `fit` draws the floor so."""
        self._dark = dark
        self._sky.sky_color, self._sky.ground_color = _COLORS[dark][3:]

    def fit(self, reach: float, last: float = 0.0, z: float = 0.0) -> None:
        """Fit the ground to robots of a reach, m, in a row from y = 0 to the last one, on z, m."""
        self._reach = reach
        radius, digits = _REACHES * reach + last, round(np.log10(reach / _SQUARES))
        square = 10.0 ** max(digits, int(np.ceil(np.log10(radius / _MOST))))
        look = radius, square, self._dark
        if look != self._look:
            self._look = look
            self._floor = self._scene.add_glb(
                '/floor', _floor(radius, square, *_COLORS[self._dark][:3]), cast_shadow=False,
                receive_shadow=False)
        self._floor.position = 0.0, 0.0, z - _BELOW * reach
        # Of what is transparent the page draws first what is further away: the floor.
        x, y, _ = self._shadow.position
        self._shadow.position = x, y, z - 0.5 * _BELOW * reach

    def shade(self, corners: np.ndarray) -> None:
        """Show the shadow from above of boxes with corners (k, 8, 3), m, see `box_corners`."""
        z = self._floor.position[2]
        boxes = [box for box in corners if box[:, 2].max() > z]  # not below the floor
        self._shadow.visible = bool(boxes)
        if not boxes:
            return
        low, high = (choose(np.concatenate(boxes)[:, :2], axis=0) for choose in (np.min, np.max))
        low, size = low - _AROUND * self._reach, high - low + 2.0 * _AROUND * self._reach
        image = Image.new('L', (_PIXELS, _PIXELS))
        draw = ImageDraw.Draw(image)
        for box in sorted(boxes, key=lambda one: -float(one[:, 2].min())):
            above = max(float(box[:, 2].min()) - z, 0.0) / (_HIGH * self._reach)
            places = _PIXELS * (box[:, :2] - low) / size  # the first row is at the least y
            for face in _FACES:
                draw.polygon([*map(tuple, places[list(face)])], round(_DARKEST / (1.0 + above)))
        alpha = np.asarray(image.filter(ImageFilter.GaussianBlur(_BLUR)))
        shadow = self._shadow
        shadow.image = np.dstack([np.zeros((_PIXELS, _PIXELS, 3), np.uint8), alpha])
        shadow.render_width, shadow.render_height = map(float, size)
        shadow.position = *(low + 0.5 * size), shadow.position[2]


def _floor(radius: float, square: float, middle: tuple[int, ...], border: tuple[int, ...],
           lighter: int) -> bytes:
    """Return a disc of squares, m, as glTF, which no light changes."""
    count = int(np.ceil(radius / square))
    rows, columns = (index.ravel() for index in np.mgrid[-count:count, -count:count])
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    places = square * (np.c_[rows, columns][:, None] + corners).reshape(-1, 2)
    far = np.linalg.norm(places, axis=1, keepdims=True)
    places *= np.minimum(1.0, radius / np.maximum(far, radius))  # squares end at the border
    share = np.minimum(far / radius, 1.0)
    colors = (1.0 - share) * middle + share * border + np.repeat(
        lighter * ((rows + columns) % 2), 4)[:, None]
    faces = (4 * np.arange(len(rows))[:, None, None] + [[0, 1, 2], [0, 2, 3]]).reshape(-1, 3)

    def add_material(tree: dict[str, Any]) -> None:
        tree.update(materials=[{'extensions': {'KHR_materials_unlit': {}}}],
                    extensionsUsed=['KHR_materials_unlit'])
        tree['meshes'][0]['primitives'][0]['material'] = 0
    mesh = trimesh.Trimesh(np.c_[places, 0.0 * far], faces, process=False,
                           vertex_colors=np.c_[colors, 255.0 + 0.0 * far].astype(np.uint8))
    return bytes(trimesh.Scene(mesh).export(file_type='glb', tree_postprocessor=add_material))
