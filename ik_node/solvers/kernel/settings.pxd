include "settings.pxi"
# int: Settings.max_iterations, Settings.prefer, ArmData.end
# double: Settings.position_tolerance, Settings.orientation_tolerance, Settings.max_step
# double: Settings.length, Settings.reach, Settings.hole, Settings.wrist_reach
