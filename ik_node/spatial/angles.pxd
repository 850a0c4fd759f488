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
