"""Own versions + what a Pages branch holds → a new commit on that branch, and nothing lost.

ledger   versions.json: what was published, by digest, and what may not happen to it
lineage  whose prose is later, by Git's history
merge    a site laid over a branch: what is written, removed, refused
branch   the branch in Git: fetched, read, committed, pushed
run      fetch, merge, push, and again if somebody else was faster
"""
