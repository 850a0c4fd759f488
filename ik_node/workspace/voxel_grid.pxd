include "voxel_grid.pxi"
# double: VoxelGrid.edge
