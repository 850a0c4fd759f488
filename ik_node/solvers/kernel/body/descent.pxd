include "descent.pxi"
# cpdef: TaskJudge.leave()
# except -1 nogil: descend(), rows_at(), verify(), missed()
# DescentData: TaskJudge.work
# cdef: Descent.verified(), Descent.joint_values()
