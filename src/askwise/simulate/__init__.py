"""Simulated people, the tasks they answer, and what their runs say: forecasts, plans and error curves.

`runs` has the only loop in which a simulated person answers a session; everything else here uses it. It may import
sessions, goals and studies, and knows nothing of the web, the command or the experiments.
"""
