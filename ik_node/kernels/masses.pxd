from ik_node.kernels cimport cholesky, kinds
from ik_node.kernels.arrays cimport Memory, matrix, points, poses, rotations, vector
from ik_node.kernels.tree cimport Tree
cimport cython


cdef class Masses:
    cdef Memory memory
    cdef vector mass
    cdef points center
    cdef rotations inertia


cdef class Composite:
    cdef Memory memory
    cdef poses bodies
    cdef matrix L


@cython.locals(in_spherical=cython.bint)
cdef void mass_matrix(Tree tree, Masses masses, poses F, points W, poses C,
                      matrix M) noexcept nogil
cdef void compose(Tree tree, Masses masses, poses F, poses C) noexcept nogil
cdef void add_point_mass(poses C, int k, double m, double x, double y, double z) noexcept nogil
cdef void add_least(matrix M, matrix L, int n, double part) noexcept nogil
