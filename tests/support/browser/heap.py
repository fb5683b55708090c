"""Pages of heap profiles against prof-show --heap --json --stacks."""
from driver import digits, percent
from functions import check_tallies, lines_of, tallies_of

FIELDS = {'bytes': 'total_size', 'count': 'alloc_count',
          'lifetime': 'total_lifetime', 'accesses': 'total_access_count'}
UNITS = {'ms': 1, 's': 1e3, 'min': 6e4, 'h': 3.6e6, 'd': 8.64e7}


def contexts_of(path):
    return [line for line in lines_of(path) if line['heap'] == 'context']


def sites(browser, page, path):
    """The table of sites, and the totals above it."""
    lines = lines_of(path)
    total = sum(int(line['bytes']) for line in lines
                if line['heap'] == 'summary')
    wanted = [line for line in lines if line['heap'] == 'site']
    browser.size(1600)
    browser.open(page)
    noun = 'site' if len(wanted) == 1 else 'sites'
    assert browser.texts('#sites .row .hint')[0] == (
        f'{len(wanted)} of {len(wanted)} {noun}'), page
    for cells, site in zip(browser.cells('#sites .item'), wanted):
        assert cells[2] == digits(site['count']), (cells, site)
        assert cells[6] == digits(site['contexts']), (cells, site)
        assert cells[1] == percent(int(site['bytes']) / (total or 1)), cells
    assert total > 2 ** 53 or digits(total) in browser.texts(
        '#heap dd small'), total
    # No column is empty.
    assert browser.count('#sites [data-column="place"]') == any(
        {'file', 'line', 'line_offset'} & set(frame)
        for c in contexts_of(path) for frame in c['frames']), page
    for line in lines:
        if line['heap'] == 'summary' and 'average_lifetime' in line:
            check_average(browser, line['average_lifetime'])
    check_density(browser, contexts_of(path))
    kinds = [cells[5] for cells in browser.cells('#sites .item')]
    for kind in browser.texts('#sites [aria-label="Classes"] button'):
        browser.view({'kinds': kind})
        assert [cells[5] for cells in browser.cells('#sites .item')] == [
            k for k in kinds if k == kind], kind
    browser.check_quiet()


def check_average(browser, average):
    """The lifetime is that of one allocation, in the totals and the graph."""
    text = dict(zip(browser.texts('#heap dt'), browser.texts('#heap dd')))[
        'average lifetime']
    number, unit = text.split()
    assert abs(float(number) * UNITS[unit] - average) <= (
        0.5 + average * 0.005), (text, average)
    browser.view({'weight': 'lifetime'})
    if browser.count('.flame .frame'):
        label = browser.attributes('.flame .frame', 'aria-label')[0]
        assert label.startswith(f'all: {text} average lifetime, '), label


def check_density(browser, contexts):
    """Accesses for each byte of an allocation; the field has hundredths."""
    sums = [int(c['info'].get('total_access_density', 0)) for c in contexts]
    if not any('total_access_density' in c['info'] for c in contexts):
        return
    average = sum(sums) / 100 / (
        sum(int(c['info']['alloc_count']) for c in contexts) or 1)
    text = dict(zip(browser.texts('#heap dt'), browser.texts('#heap dd')))[
        'average access density']
    if average < 999.5:
        number, unit = text.split(' ', 1)
        assert unit == 'a byte' and abs(float(number) - average) <= (
            average * 0.006), (text, average)


def stack_of(context):
    """Names from the frame that allocates to the root."""
    return [frame.get('demangled', frame.get('function', frame.get('guid')))
            for frame in context['frames'][context['site']:]]


def inclusive(browser, page, path):
    """Sums below each function, and the graph from a function on."""
    contexts = contexts_of(path)
    below, called = {}, {}
    for c in contexts:
        for name in set(stack_of(c)):
            below.setdefault(name, []).append(c)
    browser.size(1600)
    browser.open(page)
    browser.click('#sites [data-value="functions"]')
    rows = browser.cells('#sites .item')
    assert browser.texts('#sites .row .hint')[0].startswith(
        f'{len(below)} of {len(below)} function')
    for cells in rows:
        of = below[cells[7]]
        assert cells[2] == digits(sum(value_of(c, 'count') for c in of)), cells
        assert cells[6] == digits(len(of)), cells
    name = rows[-1][7]
    total = sum(value_of(c, 'bytes') for c in contexts)
    part = sum(value_of(c, 'bytes') for c in below[name])
    browser.view({'frame': name, 'only': 'yes'})
    assert browser.texts('.flame-status')[0].endswith(
        f'{percent(part / total)} of all bytes')
    roots = {label.split(': ')[0] for label, level in zip(
        browser.attributes('.flame .frame', 'aria-label'),
        browser.attributes('.flame .frame', 'aria-level')) if level == '2'}
    assert roots == {name}, roots
    for c in below[name]:
        stack = stack_of(c)
        if stack.index(name) + 1 < len(stack):
            called[stack[stack.index(name) + 1]] = c
    browser.click('#flame [aria-label="Direction"] [data-value="yes"]')
    callers = {label.split(': ')[0] for label, level in zip(
        browser.attributes('.flame .frame', 'aria-label'),
        browser.attributes('.flame .frame', 'aria-level')) if level == '3'}
    assert callers == set(called), (callers, called)
    sandwich(browser, name, callers)
    browser.check_quiet()


def sandwich(browser, name, callers):
    """The callers of a function above it, its callees below; keys go on."""
    browser.view({'callers': '', 'only': 'around'})
    above = levels(browser, '.flame .above')
    assert above.get('3', set()) == callers, (above, callers)
    below = levels(browser, '.flame .frame:not(.above)')
    assert below['2'] == {name}, below
    assert min(below) == '2' and min(above, default='3') == '3'
    if not callers:
        return
    browser.key('.flame', 'ArrowUp')
    focused = browser.attributes('.flame .focused', 'aria-label')
    assert focused[0].split(': ')[0] in callers, focused
    browser.key('.flame', 'Enter')
    assert levels(browser, '.flame .frame:not(.above)')['2'] == {
        focused[0].split(': ')[0]}
    browser.key('.flame', 'Escape')
    assert 'only=' not in browser.run('location.hash')


def levels(browser, boxes):
    """Names in boxes of a graph, by their levels."""
    found = {}
    for label, level in zip(browser.attributes(boxes, 'aria-label'),
                            browser.attributes(boxes, 'aria-level')):
        found.setdefault(level, set()).add(label.split(': ')[0])
    return found


def value_of(context, by):
    return int(context['info'].get(FIELDS[by], 0))


def graph(browser, page, path):
    """The graph: values, shares, zoom, search, callers and keys."""
    contexts = contexts_of(path)
    browser.size(1600)
    browser.open(page)
    known = [by for by, field in FIELDS.items()
             if any(field in c['info'] for c in contexts)]
    assert [by for by in browser.attributes(
        '#flame [aria-label="Weight"] button', 'data-value')
        if by in FIELDS] == known
    boxes = browser.count('.flame .frame')
    total = sum(value_of(c, 'count') for c in contexts)
    browser.click('#flame [data-value="count"]')
    labels = browser.attributes('.flame .frame', 'aria-label')
    assert labels[0].startswith('all: '), labels[0]
    shares = {label.rsplit(': ', 1)[0]: label for label in labels}
    for context in contexts:
        root = context['frames'][-1]
        name = root.get('demangled', root.get('function'))
        if name not in shares or not total:
            continue
        below = sum(value_of(c, 'count') for c in contexts if c['frames'] and
                    c['frames'][-1].get('demangled', c['frames'][-1].get(
                        'function')) == name)
        assert any(f', {percent(below / total)}, ' in label for label in
                   labels if label.startswith(name + ': ')), (name, labels)
    browser.click('#flame [data-value="bytes"]')
    browser.click('#flame [aria-label="Direction"] [data-value="yes"]')
    browser.click('.flame .frame', 1)
    assert 'zoom=' in browser.run('location.hash')
    browser.key('.flame', 'Escape')
    assert 'zoom=' not in browser.run('location.hash')
    browser.click('#flame [aria-label="Direction"] [data-value=""]')
    assert browser.count('.flame .frame') == boxes
    browser.key('.flame', 'ArrowDown')
    assert browser.count('.flame .focused') == 1
    browser.view({'frame': 'no such frame'})
    assert browser.texts('.flame-status')[0].startswith('0 frames match')
    browser.check_quiet()


def histograms(browser, page, path):
    """Allocations by their mean size and lifetime in the context."""
    contexts = contexts_of(path)
    browser.size(1280)
    browser.open(page)
    for panel, by in ('#sizes', 'bytes'), ('#lifetimes', 'lifetime'):
        means = []
        for c in contexts:
            count = value_of(c, 'count')
            # As Math.round.
            mean = (2 * value_of(c, by) + count) // (2 * count) if count else 0
            means.extend([mean] * count)
        assert len(means) < 10 ** 6
        check_tallies(browser, panel, tallies_of(means))
    browser.check_quiet()
