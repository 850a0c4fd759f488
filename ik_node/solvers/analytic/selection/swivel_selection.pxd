include "swivel_selection.pxi"
# cpdef noexcept nogil: into_interval()
# vector3: ArmPreference.hint, ArmPreference.hand, ArmPreference.elbow, ArmPreference.wrist
# vector3: ArmPreference.plane_point, ArmPreference.plane_normal
# vector3: ArmPreference.capsule_start, ArmPreference.capsule_end, SwivelSelection.hint
