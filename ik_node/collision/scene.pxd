include "scene.pxi"
# public Scene: FreeSpace.scene
# cpdef: FreeSpace.take(), Scene.take(), SceneData.leave(), SceneData.pose(), SceneData.rows()
