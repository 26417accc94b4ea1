"""Frozen records that the stages hand to each other: small, typed, with units.

plan     what was decided before scoring
corpus   what is searched, and what is asked
record   what came out: ranks, costs, quality
"""
