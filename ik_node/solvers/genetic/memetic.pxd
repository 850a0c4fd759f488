from ik_node.solvers.jacobian.steps cimport DampedLeastSquares
from ik_node.solvers.kernel.evolution cimport Evolution, Judge, Population
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.kernel.method cimport Method
from ik_node.solvers.kernel.settings cimport ArmData, Settings


cdef class PoseJudge(Judge):
    cdef ChainRecord chain
    cdef Settings settings
    cdef ArmData work


cdef class GeneticData(ArmData):
    cdef Population population


cdef class Genetic(Method):
    cdef ChainRecord chain
    cdef Settings settings
    cdef Evolution evolution
    cdef DampedLeastSquares local
    cdef bint local_search


include "memetic.pxi"
