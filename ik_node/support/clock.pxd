# Not compiled: what stands here is inlined where it is used.
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec


cdef inline double clock() noexcept nogil:
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec + 1e-9 * now.tv_nsec
