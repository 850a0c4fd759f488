# Not compiled: what stands here is inlined where it is used.
from libc cimport math
from ik_node.spatial.vector3 cimport vector3, cross, dot


cdef inline (bint, double, double) rotation_between(vector3 h, vector3 a, vector3 b,
                                                    double smallest) noexcept nogil:
    return direction(dot(a, b) - dot(h, a) * dot(h, b), dot(h, cross(a, b)), smallest)

cdef inline (bint, double, double) direction(double cosine, double sine,
                                             double smallest) noexcept nogil:
    length = math.sqrt(cosine * cosine + sine * sine)
    if length <= smallest * smallest:
        return False, 1.0, 0.0
    scale = 1.0 / length
    return True, cosine * scale, sine * scale

cdef inline double angle_of(double c, double s) noexcept nogil:
    u, v = math.fabs(c), math.fabs(s)
    t = min(u, v) / (1.0 + max(u, v))
    z = t * t
    w = z * z
    even = z * (3.33333333333329318027e-1 + w * (1.42857142725034663711e-1 + w * (
        9.09088713343650656196e-2 + w * (6.66107313738753120669e-2 + w * (
            4.97687799461593236017e-2 + w * 1.62858201153657823623e-2)))))
    odd = w * (-1.99999999998764832476e-1 + w * (-1.11111104054623557880e-1 + w * (
        -7.69187620504482999495e-2 + w * (
            -5.83357013379057348645e-2 + w * -3.65315727442169155270e-2))))
    angle = 2.0 * (t - t * (even + odd))
    if v > u:
        angle = 1.5707963267948966 - (angle - 6.123233995736766e-17)
    if c < 0.0:
        angle = 3.141592653589793 - (angle - 1.2246467991473532e-16)
    return math.copysign(angle, s)

cdef inline (int, double, double, double, double) solve_sinusoid(double a, double b, double rest,
                                                                 double slack) noexcept nogil:
    squared = a * a + b * b
    if squared == 0.0:
        return 0, 1.0, 0.0, 1.0, 0.0
    left = squared - rest * rest
    amplitude = math.sqrt(squared)
    if left <= 0.0:
        count = 1 if math.fabs(rest) <= (1.0 + slack) * amplitude else 0
        sign = (1.0 if rest >= 0.0 else -1.0) / amplitude
        return count, a * sign, b * sign, a * sign, b * sign
    root, scale = math.sqrt(left), 1.0 / squared
    a, b = a * scale, b * scale
    return (2, a * rest - b * root, b * rest + a * root,
            a * rest + b * root, b * rest - a * root)
