# Not compiled: what stands here is inlined where it is used. The flag is one of each module that
# uses it: only `clock` may.
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec
from ik_node.support.arrays cimport integers

cdef extern from *:
    """
    static int ik_node_never = 0;
    static __thread int *ik_node_flag = &ik_node_never;
    """
    int ik_node_never
    int *ik_node_flag


cdef inline double now() noexcept nogil:
    cdef timespec found
    clock_gettime(CLOCK_MONOTONIC, &found)
    return found.tv_sec + 1e-9 * found.tv_nsec


cdef inline bint is_set() noexcept nogil:
    return (<volatile int *> ik_node_flag)[0] != 0


cdef inline void use_flag(integers flag) noexcept nogil:
    global ik_node_flag
    ik_node_flag = flag


cdef inline void use_none() noexcept nogil:
    global ik_node_flag
    ik_node_flag = &ik_node_never
