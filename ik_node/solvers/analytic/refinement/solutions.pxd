cimport ik_node.solvers.codes as codes
from libc cimport math
cimport ik_node.support.checks as checks
cimport ik_node.support.clock as clock
cimport ik_node.solvers.analytic.families.nominal_arm as nominal_arm
cimport ik_node.solvers.analytic.refinement.newton as newton
cimport ik_node.solvers.analytic.refinement.precision as precision
cimport ik_node.solvers.analytic.refinement.refinement as refinement
cimport ik_node.solvers.search as search
from ik_node.support.arrays cimport Memory, rows, vector
from ik_node.solvers.analytic.refinement.buffers cimport Buffers
from ik_node.solvers.analytic.families.closed_family cimport ClosedFamily
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.settings cimport Settings, Scratch
from ik_node.solvers.task cimport TipTask
from libc.math cimport rint as round
cimport cython

cdef double NAN, TWO_PI
cdef double _SAME


cdef class Solutions:
    cdef Memory memory
    cdef ChainRecord chain
    cdef Settings settings
    cdef ClosedFamily family
    cdef vector start
    cdef int most
    cdef list idle
    cdef const double[::1] ones
    cpdef object of_pose(self, const double[:, ::1] T_base_goal, bint within, double tolerance)
    cpdef object of_goal(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                         const double[:, ::1] parameters, bint within)
    @cython.locals(solved=Py_ssize_t)
    cpdef Py_ssize_t of_batch(self, const double[:, :, ::1] T_base_goal, const double[::1] weights,
                   const double[:, ::1] parameters, const double[:, ::1] q0, bint within,
                   double[:, :, ::1] out, long[::1] counts, double deadline)
    cdef int _list(self, Buffers buffers, const double[:, ::1] parameters, bint within,
                   double[:, ::1] out)
    cdef Buffers _take(self)
    cdef Buffers _new(self)

@cython.locals(met=cython.bint)
cdef int all_solutions(ChainRecord chain, Settings settings, ClosedFamily family, TipTask task,
                       vector q0, bint within, int most, Scratch work,
                       Buffers buffers) noexcept nogil
cdef (int, int) _keep(ChainRecord chain, bint within, vector q, double error, vector errors,
                      int kept, int precise, int most, rows out) noexcept nogil
cdef bint _same(ChainRecord chain, vector a, vector b) noexcept nogil
