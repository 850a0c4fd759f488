from ik_node.support.arrays cimport vector
from ik_node.solvers.ccd.joint_optimum cimport CcdSettings
from ik_node.solvers.kernel.method cimport Method

cdef int SLOW
cdef double INF, STILL


cdef class CyclicCoordinateDescent(Method):
    cdef CcdSettings own


include "sweep.pxi"
