from libc cimport math
cimport ik_node.support.clock as clock
cimport ik_node.solvers.codes as codes
cimport ik_node.kinematics.forward as forward
cimport ik_node.kinematics.jacobian as jacobian
cimport ik_node.kinematics.joint_limits as joint_limits
cimport ik_node.solvers.jacobian.nullspace as nullspace
cimport ik_node.solvers.kernel.task as tasks
from ik_node.support.arrays cimport pose, vector
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.kernel.method cimport Method
from ik_node.solvers.jacobian.nullspace cimport JacobianSettings
from ik_node.solvers.kernel.settings cimport Scratch, Settings
from ik_node.solvers.kernel.task cimport TipTask
cimport cython

cdef double INF, STILL, BIAS_DONE, BIAS_FADES


cdef class JacobianMethod(Method):
    cdef JacobianSettings own

    cdef void step(self, Settings settings, int n, Scratch work, vector V) noexcept nogil
    @cython.locals(biased=cython.bint, has_prismatic=cython.bint, met=cython.bint)
    cdef int attempt(self, ChainRecord chain, TipTask task, Settings settings, Scratch work,
                     bint swing, vector q) except -1 nogil


cdef double task_energy(Settings settings, vector V) noexcept nogil
cdef (double, double) shares(JacobianSettings own, double position,
                             double orientation) noexcept nogil
cdef void units(Settings settings, int n, Scratch work, double position) noexcept nogil
cdef void lock(Scratch work, int k) noexcept nogil
@cython.locals(below=cython.bint, above=cython.bint)
cdef bint pushed_out(ChainRecord chain, Scratch work, int k, vector q) noexcept nogil
@cython.locals(point=pose)
cdef void task_rows(ChainRecord chain, TipTask task, Settings settings, JacobianSettings own,
                    Scratch work, double position_share, double orientation_share,
                    vector q) noexcept nogil
@cython.locals(locked=cython.bint)
cdef (double, bint) move(ChainRecord chain, Settings settings, Scratch work, bint swing,
                         vector q) noexcept nogil
