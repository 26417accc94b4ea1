"""Numbers → Altair charts → SVG.

One module a figure; `theme` has colours and type, `parts` what figures share, `draw` makes SVG.

Charts are made from plain aggregated numbers, never from raw rows, and know nothing of HTML.
"""
