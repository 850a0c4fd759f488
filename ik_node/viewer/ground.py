"""The ground below the robots: a grid in decimal lengths that fits the reach of their arms."""

import numpy as np
import viser

_REACHES = 3.0  # from the outermost robot to the border of the grid
_SQUARES = 10   # in a section, along each side
_BELOW = 1e-3   # of the reach: what lies on the ground is drawn above it


class Ground:
    """A grid at z = 0 of the scene, of squares of 1, 10, 100 mm or so, and sections of ten."""

    def __init__(self, scene: viser.SceneApi) -> None:
        """Draw the ground of an arm of 1 m."""
        self._scene = scene
        self._sizes = 0.0, 0.0
        self.fit(1.0, 0.0)

    def fit(self, reach: float, last: float) -> None:
        """Fit the ground to robots of a reach, m, in a row from y = 0 to the last one, m."""
        square = 10.0 ** round(np.log10(reach / _SQUARES))
        section = _SQUARES * square
        size = 2.0 * section * np.ceil((_REACHES * reach + last) / section)
        if (size, square) != self._sizes:
            self._sizes = size, square
            self._scene.add_grid('/grid', width=size, height=size, cell_size=square,
                                 section_size=section, plane='xy',
                                 position=(0.0, 0.0, -_BELOW * reach))
