from ik_node.support.arrays cimport vector
from ik_node.solvers.jacobian.steps cimport DampedLeastSquares
from ik_node.solvers.kernel.evolution cimport Evolution, Judge, Population
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.kernel.method cimport Method
from ik_node.solvers.kernel.settings cimport Scratch, Settings
from ik_node.solvers.kernel.task cimport TipTask
cimport cython


cdef class PoseJudge(Judge):
    cdef ChainRecord chain
    cdef Settings settings
    cdef Scratch work

    @cython.locals(position=double, orientation=double)
    cdef int cost(self, vector z, vector child) except -1 nogil


cdef class GeneticWork(Scratch):
    cdef Population population


cdef class Genetic(Method):
    cdef ChainRecord chain
    cdef Settings settings
    cdef Evolution evolution
    cdef DampedLeastSquares local
    cdef bint local_search

    @cython.locals(end=int)
    cdef int attempt(self, ChainRecord chain, TipTask task, Settings settings, Scratch work,
                     bint swing, vector q) except -1 nogil


include "memetic.pxi"
