"""Many people at once, on one server or on several."""
