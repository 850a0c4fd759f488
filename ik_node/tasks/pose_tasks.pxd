include "pose_tasks.pxi"
