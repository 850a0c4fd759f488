# Not compiled: what stands here is inlined where it is used. The limit is one of each module that
# uses it: only `clock` may.
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec
from ik_node.support.arrays cimport vector

cdef extern from *:
    """
    static double ik_node_no_limit[2] = {Py_HUGE_VAL, 0.0};
    static __thread double *ik_node_limit = ik_node_no_limit;
    """
    double *ik_node_no_limit
    double *ik_node_limit


cdef inline double now() noexcept nogil:
    cdef timespec found
    clock_gettime(CLOCK_MONOTONIC, &found)
    return found.tv_sec + 1e-9 * found.tv_nsec


cdef inline vector limit() noexcept nogil:
    return ik_node_limit


cdef inline double of_limit(vector limit) noexcept nogil:
    return (<volatile double *> limit)[0]


cdef inline void use_limit(vector limit) noexcept nogil:
    global ik_node_limit
    ik_node_limit = limit


cdef inline void use_none() noexcept nogil:
    global ik_node_limit
    ik_node_limit = ik_node_no_limit
