"""What the computation runs on: threads, worker processes, a cluster, compiled code, plug-ins and random streams.

Nothing here is specific to askwise's mathematics. Nothing here is public.
"""
