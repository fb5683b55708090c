"""Pages of instrumentation profiles against prof-show --json."""
import json

from driver import digits, percent


def lines_of(path):
    with open(path, encoding='utf-8') as file:
        return [json.loads(line) for line in file]


def name_of(function):
    return function.get('demangled', function.get('name'))


def sum_of(function):
    return 0 if 'pseudo' in function else sum(
        int(count) for count in function['counts'])


def check_values(browser, want):
    """Targets and sizes of the details, with their counts and shares."""
    wanted = []
    for kind in 'indirect_call_target', 'mem_op_size', 'vtable_target':
        for site in want.get('values', {}).get(kind, []):
            total = sum(int(v['count']) for v in site) or 1
            wanted.append(sorted(
                [digits(v['count']), percent(int(v['count']) / total),
                 digits(v['size']) if 'size' in v else ''] for v in site))
    shown = browser.run('''Array.from(document.querySelectorAll(
        ".details .site"), (site) => Array.from(site.querySelectorAll("tr"),
        (row) => Array.from(row.children, (c) => c.textContent)))''')
    assert [sorted([count, share, name.split(' byte')[0]
                    if name.endswith((' byte', ' bytes')) else '']
                   for name, count, share in site)
            for site in shown] == wanted, (shown, want)


def check_details(browser, want):
    facts = browser.facts()
    assert facts['hash'] == want['hash'], (facts, want)
    if 'max_count' in want:
        assert facts['counts'] == digits(sum_of(want)) + ' in all', facts
        bars = browser.texts('.details .strip i')
        assert len(bars) == min(160, want['counters']), len(bars)
        table = browser.cells('.details details tbody tr')
        assert [row[1] for row in table[:200]] == [
            digits(count) for count in want['counts'][:200]], table
    check_values(browser, want)


def numbers(browser, page, path):
    """The table and the details against FILE, of --functions --counts."""
    wanted = lines_of(path)
    browser.size(1600)
    browser.open(page)
    shown = browser.cells('#functions .item')
    assert len(shown) >= min(20, len(wanted)), (len(shown), len(wanted))
    total = sum(sum_of(want) for want in wanted) or 1
    running = 0
    for row, want in zip(shown, wanted):
        running += sum_of(want)
        assert row[:2] == [percent(sum_of(want) / total),
                           percent(running / total)], (row, want)
        assert row[6] == name_of(want), (row, want)
        assert row[5] == digits(want['counters']), (row, want)
        if 'max_count' in want:
            assert row[3] == digits(want['max_count']), (row, want)
            assert row[4] == digits(want['counts'][0]), (row, want)
    with_values = [i for i, want in enumerate(wanted) if want.get('values')]
    for i in sorted({*range(min(3, len(shown))),
                     *[i for i in with_values if i < len(shown)][:4]}):
        browser.click('#functions .item', i)
        check_details(browser, wanted[i])
    browser.check_quiet()


def curves(browser, page, path, summary_path):
    """The curves against the functions, and against --cutoffs."""
    wanted = lines_of(path)
    summary = lines_of(summary_path)[0]
    total = sum(sum_of(want) for want in wanted) or 1
    running = [0]
    for want in wanted:
        running.append(running[-1] + sum_of(want))
    browser.size(1280)
    browser.open(page)
    shown = browser.readings('#cutoffs .chart')
    places = [int(text.split(' ')[0].replace(',', '')) for text in shown]
    assert places[0] == 1 and places[-1] == len(wanted), places
    assert shown == [f'{digits(n)} functions: {percent(running[n] / total)}'
                     for n in places], shown
    browser.click('#cutoffs [data-value="counters"]')
    cutoffs = [c for c in summary['cutoffs'] if c['counters'] != 0]
    shown = browser.readings('#cutoffs .chart')
    assert shown == list(dict.fromkeys(
        f'{digits(c["counters"])} counters: '
        f'{percent(c["parts_per_million"] / 1e6)}' for c in cutoffs)), shown
    hot = [c['counters'] for c in summary['cutoffs']
           if c['parts_per_million'] == 990000]
    assert f'{digits(hot[0])} hot' in browser.texts('#cutoffs text'), hot
    browser.check_quiet()


def tallies_of(counts):
    """How many counts are 0, and from 2^(i-1) to 2^i - 1."""
    found = {}
    for count in counts:
        place = int(count).bit_length()
        found[place] = found.get(place, 0) + 1
    return [found.get(i, 0) for i in range(max([1, *found]) + 1)]


def check_tallies(browser, selector, wanted):
    shown = [int(text.split(': ')[0].replace(',', ''))
             for text in browser.readings(selector + ' .chart')]
    assert shown == wanted, (shown, wanted)
    bars = browser.count(selector + ' rect[class^="fill-"]')
    assert bars == len([n for n in wanted if n != 0]), (bars, wanted)


def tallies(browser, page, path):
    """The histogram of counts, and of functions by their largest one."""
    wanted = [want for want in lines_of(path) if 'pseudo' not in want]
    browser.size(1280)
    browser.open(page)
    check_tallies(browser, '#distribution', tallies_of(
        [count for want in wanted for count in want['counts']]))
    browser.click('#distribution [data-value="functions"]')
    check_tallies(browser, '#distribution', tallies_of(
        [want['max_count'] for want in wanted]))
    browser.check_quiet()


def cells(browser, page, path):
    """The map against the functions: each is there, as large as its share."""
    wanted = [want for want in lines_of(path) if sum_of(want) != 0]
    total = sum(sum_of(want) for want in wanted)
    browser.size(2000, 3000)
    browser.open(page)
    browser.run("document.querySelector('#map').scrollIntoView()")
    for by in 'namespace', 'file':
        browser.click(f'#map [data-value="{by}"]')
        shown = browser.run('''Array.from(document.querySelectorAll(
            ".map .cell"), (c) => [c.getAttribute("aria-label"),
            c.getAttribute("width") * c.getAttribute("height"),
            c.getAttribute("fill-opacity")])''')
        leaves = {label.rsplit(': ', 1)[0]: (share, area)
                  for label, area, depth in shown if depth == '0.85'
                  for share in [label.rsplit(': ', 1)[1]]}
        for want in wanted:
            name = name_of(want).split(';')[-1]
            if by == 'namespace':
                name = name.split('::')[-1]
            share, area = leaves.get(name, (None, 0))
            assert share == percent(sum_of(want) / total), (by, want, leaves)
            assert area > 0
    name = next(iter(leaves))
    browser.run('''Array.from(document.querySelectorAll(".map .cell")).find(
        (c) => c.getAttribute("aria-label").startsWith(arguments[0] + ": "))
        .dispatchEvent(new KeyboardEvent("keydown", {key: "Enter"}))''', name)
    browser.settle()
    assert browser.texts('.details h2')[0].endswith(name)
    browser.check_quiet()


def traces(browser, page, path, order_path):
    """Timelines against the traces of a stream, the list against prof-order."""
    wanted = [line for line in lines_of(path) if line['record'] == 'trace']
    with open(order_path, encoding='utf-8') as file:
        order = file.read().splitlines()
    browser.size(1280)
    browser.open(page)
    titles = browser.texts('#traces rect title')
    assert titles == [f'{i + 1}: {name}' for trace in wanted
                      for i, name in enumerate(trace['functions'])], titles
    lefts = [float(x) for x in browser.attributes('#traces rect', 'x')]
    first = len(wanted[0]['functions'])
    assert lefts[:first] == sorted(lefts[:first])
    weights = [text for text in browser.texts('#traces .chart > text')
               if text.startswith('weight')]
    assert len(weights) == len(wanted), weights
    assert [row[0] for row in browser.cells('#traces details tr')] == [
        digits(i + 1) for i in range(len(order))]
    browser.click('#traces td button')
    stored = browser.facts().get('stored as', browser.texts('.details h2')[0])
    assert stored == order[0], (stored, order[0])
    browser.check_quiet()


def bitmaps(browser, page, path):
    """Squares of MC/DC against the bitmaps of a stream."""
    wanted = [line for line in lines_of(path) if line.get('bitmap')]
    browser.size(1280)
    browser.open(page)
    for want in wanted:
        bits = int(want['bitmap'], 16).bit_count()
        browser.view({'fn': f'{want["name"]}@{want["hash"]}'})
        assert browser.facts()['hash'] == want['hash']
        shown = browser.count('.details .bits i')
        assert shown == 4 * len(want['bitmap']), (shown, want)
        assert browser.count('.details .bits i.seen') == bits, want
        # The first vector is the lowest bit of the first byte.
        seen = [i for i in range(shown) if int(want['bitmap'][i // 8 * 2:][:2],
                                              16) >> i % 8 & 1]
        assert browser.run('''Array.from(document.querySelectorAll(
            ".details .bits i")).flatMap((e, i) => e.className === "seen" ?
            [i] : [])''') == seen
    assert wanted
    browser.check_quiet()
