include "tree_frames.pxi"
# cpdef: TreeFrames.release(), frames_at()
# cdef: TreeFrames.lay_out(), TreeFrames.make_masses()
