"""What the buttons save, against prof-show --json."""
import csv
import json
import os
import time

from driver import percent
from functions import lines_of, name_of, sum_of


def saved_text(browser, selector, place, name):
    browser.click(selector, place)
    path = browser.saved(name)
    for _ in range(200):
        if os.path.exists(path):
            break
        time.sleep(0.05)
    with open(path, encoding='utf-8', newline='') as file:
        text = file.read()
    os.remove(path)
    return text


def functions_saved(browser, page, path):
    """JSON and CSV of the table of functions."""
    wanted = lines_of(path)
    total = sum(sum_of(want) for want in wanted) or 1
    browser.size(1280)
    browser.open(page)
    buttons = '#functions .row button[title^="Save"]'
    lines = [json.loads(line) for line in saved_text(
        browser, buttons, 0, 'functions.json').splitlines()]
    assert len(lines) == len(wanted), (len(lines), len(wanted))
    for line, want in zip(lines, wanted):
        assert abs(line.pop('share') - sum_of(want) / total) < 1e-9
        assert line.pop('class') in ('hot', 'warm', 'cold')
        line.pop('bitmap', None)
        line.setdefault('demangled', line.get('name'))
        want.setdefault('demangled', want.get('name'))
        assert line == {key: value for key, value in want.items()
                        if key not in ('file', 'offset')}, (line, want)
    rows = list(csv.DictReader(saved_text(
        browser, buttons, 1, 'functions.csv').splitlines()))
    assert len(rows) == len(wanted)
    for row, want in zip(rows, wanted):
        assert row['stored'].lstrip("'") == want['name'], (row, want)
        assert row['name'].lstrip("'") == name_of(want), (row, want)
        assert row['hash'] == want['hash'], (row, want)
        assert row['counters'] == str(want['counters']), (row, want)
        if 'max_count' in want:
            assert row['largest'] == str(want['max_count']), (row, want)
            assert row['entries'] == str(want['counts'][0]), (row, want)
    # Those that are shown, and no others.
    browser.view({'class': 'hot'})
    hot = saved_text(browser, buttons, 1, 'functions.csv').splitlines()
    assert 1 < len(hot) and all(',hot,' in line for line in hot[1:]), hot
    browser.check_quiet()


def sites_saved(browser, page, path):
    """JSON and CSV of the table of sites."""
    wanted = [line for line in lines_of(path) if line['heap'] == 'site']
    total = sum(int(line['bytes']) for line in wanted) or 1
    browser.size(1280)
    browser.open(page)
    buttons = '#sites .row button[title^="Save"]'
    lines = [json.loads(line) for line in saved_text(
        browser, buttons, 0, 'sites.json').splitlines()]
    rows = list(csv.DictReader(saved_text(
        browser, buttons, 1, 'sites.csv').splitlines()))
    assert len(lines) == len(rows) == len(wanted)
    for line, row, want in zip(lines, rows, wanted):
        for key in 'bytes', 'count', 'contexts':
            assert line[key] == want[key], (line, want)
        assert row['bytes'] == str(want['bytes']), (row, want)
        assert row['allocations'] == str(want['count']), (row, want)
        assert line['average_lifetime'] == float(
            row['average lifetime']), (line, row)
        assert percent(float(row['share'])) == percent(
            want['bytes'] / total), (row, want)
    browser.check_quiet()


def order_saved(browser, page, path):
    """The list of functions for the linker, as prof-order prints it."""
    with open(path, encoding='utf-8') as file:
        wanted = file.read()
    browser.size(1280)
    browser.open(page)
    assert saved_text(browser, '#traces details .row button', 0,
                      'order.txt') == wanted
    browser.check_quiet()
