# Not compiled: what stands here is inlined where it is used. The limit is one of each module that
# uses it: only `clock` may.
from ik_node.support.arrays cimport vector

cdef extern from *:
    """
    #include <time.h>
    #ifdef _MSC_VER
    #define __thread __declspec(thread)
    #endif
    #if defined(_WIN32)  /* without windows.h, which defines `near` and `far` */
    __declspec(dllimport) int __stdcall QueryPerformanceCounter(long long *);
    __declspec(dllimport) int __stdcall QueryPerformanceFrequency(long long *);
    static double ik_node_now(void) {
        long long found, rate;
        QueryPerformanceCounter(&found);
        QueryPerformanceFrequency(&rate);
        return (double) (found / rate) + (double) (found % rate) / (double) rate;
    }
    #elif defined(__APPLE__)
    static double ik_node_now(void) { return 1e-9 * clock_gettime_nsec_np(CLOCK_UPTIME_RAW); }
    #else
    static double ik_node_now(void) {
        struct timespec found;
        clock_gettime(CLOCK_MONOTONIC, &found);
        return found.tv_sec + 1e-9 * found.tv_nsec;
    }
    #endif
    static double ik_node_no_limit[2] = {Py_HUGE_VAL, 0.0};
    static __thread double *ik_node_limit = ik_node_no_limit;
    """
    double ik_node_now() noexcept nogil
    double *ik_node_no_limit
    double *ik_node_limit


cdef inline double now() noexcept nogil:
    return ik_node_now()


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
