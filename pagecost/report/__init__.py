"""Record → page records: everything a page says, as plain values. No HTML here but rendered prose.

words    numbers and sentences
captions what each figure found, in a sentence
figures  the figures of a report, drawn
scores   the parts of a report that need a record
terms    what a plan's own terms mean, in words
found    what a truncated run hides
provenance  where raw data comes from, and what reading it took
page     the report page
tables   its tables, as rows
embed    data inside a page
sidecar  what the columns of our CSV files mean
listing  what an experiment and the front page say of a version
summary  the report as Markdown, for a pull request
"""
