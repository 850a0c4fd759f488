from ik_node.collision.scene cimport Scene, Touch
from ik_node.collision.world cimport World
cimport cython


cdef class FreeSpace:
    cdef readonly tuple state
    cdef readonly double margin

    cpdef replace(self, Scene scene, World world)
    @cython.locals(scene=Scene, world=World, touch=Touch)
    cpdef Touch take(self)
