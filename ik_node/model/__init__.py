"""The hierarchy: links as nodes, joints as arcs [Parent 5.1]; one builder per source."""
