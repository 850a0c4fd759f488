from libc cimport math
from libc.math cimport rint as round
cimport ik_node.kinematics.kinds as kinds
cimport ik_node.spatial.so3 as so3
from ik_node.support.arrays cimport pose, vector
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.kernel.settings cimport Settings
from ik_node.solvers.kernel.task cimport TipTask
cimport cython

cdef double INF, PI, TWO_PI, LEAST_ACROSS


cdef class CcdSettings:
    cdef int order
    cdef double position_weight, orientation_weight


cdef (double, double) joint_optimum(ChainRecord chain, TipTask task, Settings settings,
                                    CcdSettings own, pose frame, pose T, int k, bint limited,
                                    bint swing, vector q) noexcept nogil
cdef double step_bound(Settings settings, int column) noexcept nogil
cdef (double, double) _best_translation(TipTask task, pose frame, pose T, double low,
                                        double high) noexcept nogil
cdef (double, double, double, double) _harmonics(TipTask task, Settings settings, CcdSettings own,
                                                 pose frame, pose T) noexcept nogil
cdef double _task_axis(TipTask task, int i, int j) noexcept nogil
cdef double _score(double c1, double s1, double c2, double s2, double angle) noexcept nogil
cdef double _best_rotation(double c1, double s1, double c2, double s2, double low, double high,
                           bint swing) noexcept nogil
cdef double _highest_peak(double c1, double s1, double c2, double s2) noexcept nogil
