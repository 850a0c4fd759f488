include "memetic.pxi"


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
