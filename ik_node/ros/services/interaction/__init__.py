"""Interactive markers for RViz: dragging one sends goals, its menu sets parameters."""
