"""The browser view: a robot on the graph, its goal to drag, its solver to choose."""
