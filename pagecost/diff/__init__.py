"""Two versions → what changed, what moved, and what is not comparable. No words, no HTML.

sides    what is compared: a version, a folder, a results.json, or REV:PATH from Git
plans    what changed between two plans, field by field
matched  one side's policy over the queries that both sides have
engine   figures, overlap, transitions and quality of two sides
limits   how much worse one side may be, and whether it is
since    what became of a project's versions since a revision
"""
