"""The camera that is nearest to some points and has all of them in its picture."""

import numpy as np


def nearest_camera(points: np.ndarray, direction: np.ndarray, fov: float, aspect: float,
                   free: float = 1.0, margin: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
    """Return the position of the camera and the point that it looks at, (3,) m each.

    points (k, 3), m. direction (3,): to the camera, not vertical. fov: the vertical angle of view,
    rad. aspect: width by height. free: the upper part of the picture that nothing covers. margin:
    the part of that which is used.

    A point at (x, y, z) along the camera's right, its up and `direction` is seen from (u, v, d)
    where a (d − z) ≤ y − v ≤ b (d − z), a and b being the slopes of the rays at the lower and the
    upper edge, and x likewise: linear bounds of u, v and d.
    """
    back = direction / np.linalg.norm(direction)
    right = np.cross((0.0, 0.0, 1.0), back)
    right /= np.linalg.norm(right)
    up = np.cross(back, right)
    z, slope = points @ back, np.tan(0.5 * fov)
    edges = [(points @ right, -margin * aspect * slope, margin * aspect * slope),
             (points @ up, (1.0 - (1.0 + margin) * free) * slope,
              (1.0 - (1.0 - margin) * free) * slope)]
    away = max(((values + b * z).max() - (values + a * z).min()) / (b - a)
               for values, a, b in edges)
    u, v = (0.5 * ((values + b * z).max() + (values + a * z).min() - (a + b) * away)
            for values, a, b in edges)
    position = u * right + v * up + away * back
    return position, position - (away - 0.5 * (z.min() + z.max())) * back
