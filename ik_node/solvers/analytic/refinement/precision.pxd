from libc cimport math
cimport ik_node.solvers.analytic.refinement.newton as newton
cimport ik_node.solvers.analytic.refinement.refinement as refinement
cimport ik_node.solvers.search as search
from ik_node.support.arrays cimport vector
from ik_node.solvers.analytic.refinement.buffers cimport Buffers
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.settings cimport Settings, Scratch
from ik_node.solvers.task cimport TipTask
cimport cython

cdef double PRECISE

@cython.locals(met=cython.bint)
cdef (double, double) refine_to_precision(ChainRecord chain, TipTask task, Settings settings,
                                          Scratch work, vector q) noexcept nogil
cdef bint has_self_motion(ChainRecord chain, Buffers buffers, vector q) noexcept nogil
@cython.locals(above=cython.bint)
cdef double self_motion_inside_limits(ChainRecord chain, TipTask task, Buffers buffers,
                                      vector q) noexcept nogil
cdef double _refine_inside_limits(ChainRecord chain, TipTask task, Scratch work, vector held,
                                  vector q) noexcept nogil
