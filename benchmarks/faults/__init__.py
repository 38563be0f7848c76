"""Broken tables, odd calls, odd terminals and damaged files by the thousand: what breaks, and how to break it again."""
