include "tree_frames.pxi"


cdef class TreeFrames:
    cdef Memory memory
    cdef readonly Tree tree
    cdef readonly object T_world_link
    cdef poses frames
    cdef points axes
    cdef columns J
    cdef vector q, center
    cdef fours moments
    cdef poses composite
    cdef matrix M
    cdef bint has_masses

    @cython.locals(view='double[::1]', first=vector)
    cdef lay_out(self, Py_ssize_t links, Py_ssize_t n)
    cpdef update(self, const double[::1] q)
    cpdef release(self)
    cpdef object jacobian(self, int link, const double[::1] point)
    cpdef tuple center_of_mass(self)
    cpdef object mass_matrix(self, Tree tree)
    cdef make_masses(self)


@cython.locals(frames=TreeFrames)
cpdef TreeFrames frames_at(Tree tree, const double[::1] q)
