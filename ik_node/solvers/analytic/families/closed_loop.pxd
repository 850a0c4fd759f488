from libc cimport math
cimport ik_node.kinematics.kinds as kinds
from ik_node.support.arrays cimport rows
from ik_node.solvers.analytic.families.nominal cimport ClosedForm
from ik_node.spatial.vector3 cimport vector3
from ik_node.spatial.vector3 cimport (
    along, moved, moved_back, rotated, rotated_about, rotated_back, rotated_by, row)


cdef (vector3, vector3) beside(ClosedForm work, int place, int k) noexcept nogil
cdef vector3 direction_through(ClosedForm work, int place, vector3 v) noexcept nogil
cdef vector3 point_through(ClosedForm work, int place, vector3 x) noexcept nogil
cdef vector3 _direction_back(ClosedForm work, int j, vector3 v) noexcept nogil
cdef vector3 _point_back(ClosedForm work, int j, vector3 x) noexcept nogil
cdef void take_starts(ClosedForm work, int place) noexcept nogil
cdef void take_up(ClosedForm work, int place, int i, rows out, int count) noexcept nogil
cdef void write_value(ClosedForm work, int j, rows out, int count) noexcept nogil
cdef int write_triple(ClosedForm work, int place, int count, int n, rows out,
                      int solutions) noexcept nogil
