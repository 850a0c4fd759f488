from libc cimport math
cimport ik_node.support.clock as clock
cimport ik_node.solvers.codes as codes
cimport ik_node.kinematics.forward as forward
cimport ik_node.solvers.kernel.linear as linear
cimport ik_node.solvers.ccd.joint_optimum as joint_optimum
cimport ik_node.kinematics.kinds as kinds
cimport ik_node.solvers.kernel.search as search
from ik_node.support.arrays cimport pose, vector
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.ccd.joint_optimum cimport CcdSettings
from ik_node.solvers.kernel.method cimport Method
from ik_node.solvers.kernel.settings cimport Settings, Scratch
from ik_node.solvers.kernel.task cimport TipTask
cimport cython

cdef int SLOW
cdef double INF, STILL, DAMPING, FLOOR


cdef class CyclicCoordinateDescent(Method):
    cdef CcdSettings own


cdef double sweep(ChainRecord chain, TipTask task, Settings settings, CcdSettings own, Scratch work,
                  bint limited, bint swing, vector q) noexcept nogil
@cython.locals(outward=cython.bint, prismatic=cython.bint)
cdef double _move_in_turn(ChainRecord chain, TipTask task, Settings settings, CcdSettings own,
                          Scratch work, bint limited, bint swing, vector q) noexcept nogil
cdef double _move_ranked(ChainRecord chain, TipTask task, Settings settings, CcdSettings own,
                         Scratch work, bint limited, bint swing, vector q) noexcept nogil
cdef double _move_shared(ChainRecord chain, TipTask task, Settings settings, Scratch work,
                         bint limited, vector q) noexcept nogil
cdef void _least_squares_step(ChainRecord chain, TipTask task, Settings settings, Scratch work,
                              double energy, vector dq) noexcept nogil
cdef double energy_of(Settings settings, double position, double orientation) noexcept nogil
cdef void articulate(pose T, bint prismatic, double value) noexcept nogil
cdef double _set(ChainRecord chain, int k, double change, pose frame, pose T,
                 vector q) noexcept nogil
