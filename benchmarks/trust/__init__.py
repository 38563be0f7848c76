"""Whether the goal's promise holds for people of many kinds, not only for linear ones."""
