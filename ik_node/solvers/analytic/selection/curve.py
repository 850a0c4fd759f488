"""A function of one variable, and its minimum by Brent's method."""

import math

INF = math.inf
FINEST = 1e-6      # least distance of two points where the function is evaluated
_GOLDEN = 0.5 * (3.0 - math.sqrt(5.0))


class Curve:
    """A function of one variable; subclasses override `value`."""

    def value(self, x: float) -> float:
        """Return the function at x; infinite where it is not defined."""
        return INF

    def minimum(self, low: float, x: float, high: float, fx: float, steps: int) -> float:
        """Return where the function is least near x, in [low, high] [Brent 1973].

        Parabolas through the three best points, golden sections where these fail. fx: the value at
        x. steps: maximum number of steps.
        """
        v, w, fv, fw = x, x, fx, fx
        moved, before = 0.0, 0.0
        for _ in range(steps):
            middle = 0.5 * (low + high)
            if high - low < 4.0 * FINEST:
                break
            golden = True
            if math.fabs(before) > FINEST and fv < INF and fw < INF:
                r, p = (x - w) * (fx - fv), (x - v) * (fx - fw)
                top = (x - v) * p - (x - w) * r
                bottom = 2.0 * (p - r)
                if bottom > 0.0:
                    top = -top
                bottom = math.fabs(bottom)
                if math.fabs(top) < math.fabs(0.5 * bottom * before) and (
                        bottom * (low - x) < top and top < bottom * (high - x)):
                    before, moved = moved, top / bottom
                    golden = False
            if golden:
                before = (high if x < middle else low) - x
                moved = _GOLDEN * before
            u = x + (moved if math.fabs(moved) >= FINEST else math.copysign(FINEST, moved))
            fu = self.value(u)
            if fu <= fx:
                if u < x:
                    high = x
                else:
                    low = x
                v, w, x, fv, fw, fx = w, x, u, fw, fx, fu
            else:
                if u < x:
                    low = u
                else:
                    high = u
                if fu <= fw or w == x:
                    v, w, fv, fw = w, u, fw, fu
                elif fu <= fv or v in (x, w):
                    v, fv = u, fu
        return x
