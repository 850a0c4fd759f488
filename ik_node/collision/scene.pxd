from ik_node.spatial.vector3 cimport transform
include "scene.pxi"


cdef class FreeSpace:
    cdef public Scene scene

    cpdef SceneData take(self)


cdef class Scene:
    cdef Memory memory
    cdef readonly Tree tree
    cdef readonly World world
    cdef readonly double margin
    cdef readonly int count, pair_count, moving_count
    cdef integers link, pairs, moving
    cdef poses placement
    cdef objects shape
    cdef readonly list idle
    cdef vector closer

    cpdef SceneData take(self)


cdef class SceneData:
    cdef readonly Scene scene
    cdef Memory memory
    cdef poses frames, place
    cdef points axes, middle, normal, on_a, on_b
    cdef vector q, distance
    cdef columns J
    cdef readonly PairData pair
    cdef integers a, b, stack
    cdef readonly int count, most
    cdef double closer
    cdef bint deep

    cpdef leave(self)
    cpdef transform pose(self, int k)
    cdef bint is_free(self, vector q) noexcept nogil
    @cython.locals(d='double[::1]', G='double[:, ::1]')
    cpdef tuple rows(self)
    cpdef list find(self, const double[::1] q, double far, int most=*, bint deep=*)


cdef bint measure(Convex a, Convex b, transform B, SceneData own, int i, int j,
                  double far) noexcept nogil
