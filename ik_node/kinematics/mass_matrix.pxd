cimport ik_node.kinematics.kinds as kinds
from ik_node.support.arrays cimport matrix, points, pose, poses
from ik_node.kinematics.tree cimport Tree
cimport cython

@cython.locals(in_spherical=cython.bint)
cdef void mass_matrix(Tree tree, poses F, points W, poses C, matrix M) noexcept nogil
cdef void compose_subtrees(Tree tree, poses F, poses C) noexcept nogil
cdef void add_subtree(pose C, double x, double y, double z, pose P) noexcept nogil
cdef void add_point_mass(pose C, double m, double x, double y, double z) noexcept nogil
