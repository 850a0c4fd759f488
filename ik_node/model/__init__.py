"""The robot model: a tree of links and joints [Parent 5.1], with one reader per source."""
