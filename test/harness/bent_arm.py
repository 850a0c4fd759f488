"""The arm of six joints, and where it is away from its limits and singularities."""

import numpy as np

import robots

ARM = robots.OWN / 'arm_6r.urdf'
CHAIN = robots.chain('arm_6r')
START = [0.4, 0.3, 0.5, 0.4, -1.2, 0.4]
BENT = np.array(START)
T_TIP = CHAIN.forward(BENT)
FREE = CHAIN.forward([-1.4, 0.3, 0.5, 0.4, -1.2, 0.4])  # elsewhere
