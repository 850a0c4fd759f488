from libc cimport math
from ik_node.support.arrays cimport columns
from ik_node.spatial.vector3 cimport motion, vector3
from ik_node.spatial.vector3 cimport moved, moved_back, rotated, rotated_back

cdef int FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, GOAL, ACROSS, ACROSS_GOAL, ONE, OTHER

cdef vector3 point(columns lines, int line) noexcept nogil
cdef vector3 axis(columns lines, int line) noexcept nogil
cdef void write(columns lines, int line, vector3 p, vector3 h) noexcept nogil
cdef void move(motion M, bint inverse, columns lines, int line, int target) noexcept nogil
cdef void rotate(columns lines, int line, int about, double angle, int target) noexcept nogil
cdef double rotation_between(columns lines, int line, int goal, int about) noexcept nogil
cdef void to_foot(columns lines, int line, double x, double y, double z) noexcept nogil
cdef void cross(columns lines, int line, int target) noexcept nogil
