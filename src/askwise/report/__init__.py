"""Pictures and pages of what was found."""
