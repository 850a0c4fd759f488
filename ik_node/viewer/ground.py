"""What the robots stand on: the light, and a floor with the shadow of what is near it."""

import numpy as np
import viser
from PIL import Image, ImageDraw, ImageFilter

_REACHES = 4.0  # from the outermost robot to where the floor has faded out
_SQUARES = 10   # in a section, along each side
_BELOW = 1e-3   # of the reach: what lies on the ground is drawn above it
# Light, and dark: the floor, the lines around squares and around sections, and the light from above
# and below; page.css has the background.
_COLORS = (
    ((226, 228, 231), (208, 210, 214), (186, 190, 196), (235, 243, 255), (150, 146, 140)),
    ((44, 47, 52), (56, 59, 64), (76, 80, 87), (205, 215, 235), (96, 92, 88)))
_PIXELS = 192    # of the image of the shadow, along each side
_BLUR = 4.0      # pixels
_DARKEST = 105   # of 255: right below what touches the floor,
_HIGH = 0.25     # … half as dark at this height, of the reach
_GROWTH = 1.1   # factor between the sizes that the image may have
_FACES = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))


class GroundPlane:
    """A horizontal floor, with squares of 1, 10, 100 mm or so, and sections of ten.

    - `sun`: the light that may cast a shadow. Shadows and reflections, as viser has them, take two
      thirds of the time of a picture where the processor renders; the shadow of `shade` is an
      image.
    """

    def __init__(self, scene: viser.SceneApi) -> None:
        scene.set_up_direction('+z')
        scene.configure_default_lights(enabled=False)
        scene.configure_environment_map(hdri=None)
        self._reach = 1.0
        self._sky = scene.add_light_hemisphere('/light/sky', intensity=2.0)
        self.sun = scene.add_light_directional('/light/sun', intensity=1.7,
                                               position=(0.6, -0.5, 1.0))
        self._grid = scene.add_grid('/grid', plane='xy', fade_from='origin', fade_strength=0.6,
                                    plane_opacity=0.97)
        self._shadow = scene.add_image('/shadow', np.zeros((2, 2, 4), np.uint8), 1.0, 1.0,
                                       receive_shadow=False, visible=False)
        self.set_dark(False)
        self.fit(1.0)

    def set_dark(self, dark: bool) -> None:
        """Have the colours of a dark page, or of a light one."""
        grid = self._grid
        grid.plane_color, grid.cell_color, grid.section_color, *light = _COLORS[dark]
        self._sky.sky_color, self._sky.ground_color = light

    def fit(self, reach: float, last: float = 0.0, z: float = 0.0) -> None:
        """Fit the ground to robots of a reach, m, in a row from y = 0 to the last one, on z, m."""
        grid, self._reach = self._grid, reach
        grid.cell_size = 10.0 ** round(np.log10(reach / _SQUARES))
        grid.section_size = _SQUARES * grid.cell_size
        grid.fade_distance = _REACHES * reach + last
        grid.width = grid.height = 2.0 * grid.fade_distance
        grid.position = 0.0, 0.0, z - _BELOW * reach
        # Of what is transparent the page draws first what is further away: the floor.
        self._shadow.position = 0.0, 0.0, z - 0.5 * _BELOW * reach

    def shade(self, corners: np.ndarray) -> None:
        """Show the shadow from above of boxes with corners (k, 8, 3), m, see `box_corners`."""
        z = self._grid.position[2]
        boxes = [box for box in corners if box[:, 2].max() > z]  # not below the floor
        far = max([_BELOW, *(float(np.abs(box[:, :2]).max()) for box in boxes)])
        half = _GROWTH ** np.ceil(np.log(far) / np.log(_GROWTH) + 0.5)
        image = Image.new('L', (_PIXELS, _PIXELS))
        draw = ImageDraw.Draw(image)
        for box in sorted(boxes, key=lambda one: -float(one[:, 2].min())):
            high = max(float(box[:, 2].min()) - z, 0.0) / (_HIGH * self._reach)
            places = 0.5 * _PIXELS * (1.0 + box[:, :2] / half)  # the first row is at the least y
            for face in _FACES:
                draw.polygon([*map(tuple, places[list(face)])], fill=round(_DARKEST / (1.0 + high)))
        alpha = np.asarray(image.filter(ImageFilter.GaussianBlur(_BLUR)))
        shadow, size = self._shadow, 2.0 * float(half)
        shadow.image = np.dstack([np.zeros((_PIXELS, _PIXELS, 3), np.uint8), alpha])
        shadow.render_width = shadow.render_height = size
        shadow.visible = True
