"""pagecost: publish what a ranking policy costs until the first known answer, and what it doesn't.

The flow is plan → corpus → ranking → cost → record → report → site; `pagecost.pipeline` is its
table of contents.
"""

__version__ = "0.1.0"
