# Not compiled: what stands here is inlined where it is used.
from libc cimport math
from ik_node.support.arrays cimport points, pose

ctypedef (double, double, double) vector3
ctypedef (vector3, vector3, vector3, vector3) motion


cdef inline vector3 row(points array, int i) noexcept nogil:
    return array[i][0], array[i][1], array[i][2]

cdef inline double dot(vector3 a, vector3 b) noexcept nogil:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]

cdef inline vector3 cross(vector3 a, vector3 b) noexcept nogil:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])

cdef inline vector3 plus(vector3 a, vector3 b) noexcept nogil:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]

cdef inline vector3 minus(vector3 a, vector3 b) noexcept nogil:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]

cdef inline vector3 times(double k, vector3 a) noexcept nogil:
    return k * a[0], k * a[1], k * a[2]

cdef inline double norm(vector3 a) noexcept nogil:
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])

cdef inline vector3 along(vector3 p, double k, vector3 a) noexcept nogil:
    return p[0] + k * a[0], p[1] + k * a[1], p[2] + k * a[2]

cdef inline vector3 rotated_by(vector3 h, double c, double s, vector3 v) noexcept nogil:
    k = (1.0 - c) * (h[0] * v[0] + h[1] * v[1] + h[2] * v[2])
    return (c * v[0] + s * (h[1] * v[2] - h[2] * v[1]) + k * h[0],
            c * v[1] + s * (h[2] * v[0] - h[0] * v[2]) + k * h[1],
            c * v[2] + s * (h[0] * v[1] - h[1] * v[0]) + k * h[2])

cdef inline vector3 rotated_about(vector3 h, vector3 p, double c, double s,
                                  vector3 x) noexcept nogil:
    return plus(p, rotated_by(h, c, s, minus(x, p)))

cdef inline vector3 perpendicular(vector3 h, vector3 a) noexcept nogil:
    return along(a, -dot(h, a), h)

cdef inline vector3 rotated(motion motion, vector3 v) noexcept nogil:
    return dot(motion[0], v), dot(motion[1], v), dot(motion[2], v)

cdef inline vector3 rotated_back(motion motion, vector3 v) noexcept nogil:
    return along(along(times(v[0], motion[0]), v[1], motion[1]), v[2], motion[2])

cdef inline vector3 moved(motion motion, vector3 x) noexcept nogil:
    return plus(rotated(motion, x), motion[3])

cdef inline vector3 moved_back(motion motion, vector3 x) noexcept nogil:
    return rotated_back(motion, minus(x, motion[3]))

cdef inline motion motion_of(pose T) noexcept nogil:
    return ((T[0][0], T[0][1], T[0][2]), (T[1][0], T[1][1], T[1][2]),
            (T[2][0], T[2][1], T[2][2]), (T[0][3], T[1][3], T[2][3]))

cdef inline motion composed(motion a, motion b) noexcept nogil:
    return (rotated_back(b, a[0]), rotated_back(b, a[1]), rotated_back(b, a[2]), moved(a, b[3]))

cdef inline motion reversed_motion(motion a) noexcept nogil:
    return ((a[0][0], a[1][0], a[2][0]), (a[0][1], a[1][1], a[2][1]), (a[0][2], a[1][2], a[2][2]),
            times(-1.0, rotated_back(a, a[3])))

cdef inline motion rotation_about(vector3 h, vector3 p, double c, double s) noexcept nogil:
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    return (rotated_by(h, c, -s, x), rotated_by(h, c, -s, y), rotated_by(h, c, -s, z),
            minus(p, rotated_by(h, c, s, p)))

cdef inline motion translated(motion a, double k, vector3 h) noexcept nogil:
    return a[0], a[1], a[2], along(a[3], k, h)

cdef inline motion standstill() noexcept nogil:
    return (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
