"""Record → page records: everything a page says, as plain values. No HTML here but rendered prose.

words    numbers and sentences
figures  the figures of a report, drawn
page     the report page
listing  what an experiment and the front page say of a version
summary  the report as Markdown, for a pull request
"""
