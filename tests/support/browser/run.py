#!/usr/bin/env python3
"""Checks pages in a browser: run.py [--firefox] CHECK PAGE [FILE...] [-- CHECK ...].

The checks are the functions in CHECKS.  All are made in one browser.
"""
import sys

sys.dont_write_bytecode = True  # the source tree may be read-only

import compare  # noqa: E402
import cover  # noqa: E402
import functions  # noqa: E402
import heap  # noqa: E402
import page  # noqa: E402
import saved  # noqa: E402

CHECKS = {check.__name__: check for check in (
    page.opens, page.fails, page.hostile, page.ends, page.use, page.large, page.plain, page.paper,
    page.keeps, functions.numbers, functions.curves, functions.tallies,
    functions.cells, functions.traces, functions.bitmaps, heap.sites,
    heap.inclusive,
    cover.cover_totals, cover.cover_source, cover.cover_keys,
    cover.cover_patch, cover.cover_counts, cover.cover_hostile,
    cover.cover_large, heap.graph, heap.histograms, compare.compare, saved.functions_saved,
    saved.sites_saved, saved.order_saved)}


def jobs(words):
    """The checks of a command line, as lists of words."""
    found = [[]]
    for word in words:
        if word == '--':
            found.append([])
        else:
            found[-1].append(word)
    return [job for job in found if job]


def main():
    words = sys.argv[1:]
    if words[0] == '--firefox':
        from firefox import Firefox as Browser
        words = words[1:]
    else:
        from chromium import Chromium as Browser
    browser = Browser()
    try:
        for check, *arguments in jobs(words):
            print(check, *arguments)
            CHECKS[check](browser, *arguments)
    finally:
        browser.quit()


main()
