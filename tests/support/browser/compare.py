"""Pages of two profiles against prof-diff --json."""
from driver import digits
from functions import lines_of

SIDES = 'old', 'new'


def shown_share(share):
    return f'{100 * share:.3f}%'


def compare_parts(browser, subject, records):
    """The table of states against the subject of a comparison."""
    rows = {row[0]: row[1:] for row in browser.cells('.parts tbody tr')}
    share = shown_share(subject['overlap'])
    assert rows.pop('overlap') == [digits(subject['common']), share,
                                   share], rows
    wanted = {word: state for word, state in subject['states'].items()
              if state[records]}
    assert list(rows) == list(wanted), rows
    for word, state in wanted.items():
        assert rows[word] == [digits(state[records])] + [
            shown_share(state['share'][side]) for side in SIDES], rows


def compare_functions(browser):
    """Table, scatter plot and drift against the changes of functions."""
    wanted = browser.wanted
    changed = [line for line in wanted if browser.drift(line) != 0]
    for cells, want in zip(browser.cells('#changes .item'), changed):
        change = want['share']['new'] - want['share']['old']
        assert float(cells[0][:-1]) == round(100 * change, 3), (cells, want)
        assert cells[1:3] == [shown_share(want['share'][side])
                              for side in SIDES], (cells, want)
        assert cells[4:6] == [digits(want['count'][side])
                              for side in SIDES], (cells, want)
        assert cells[6] == (f'{want["ratio"]:.3g}x' if 'ratio' in want
                            else ''), (cells, want)
        assert cells[7] == want.get('demangled', want['name']), (cells, want)
    dots = {classes.split()[1]: int(functions) for classes, functions in zip(
        browser.attributes('.scatter .spots', 'class'),
        browser.attributes('.scatter .spots', 'data-functions'))}
    for word in 'newly run', 'no longer run':
        assert dots[word.replace(' ', '-')] == len([line for line in wanted
                                  if line['state'] == word and
                                  sum(line['share'].values()) > 0]), dots
    drift = [float(cells[0][:-1]) for cells in browser.cells('#drift .item')]
    total = sum(line['share']['new'] - line['share']['old'] for line in wanted)
    assert abs(sum(drift) - 100 * total) < 0.01, (drift, total)
    browser.click('#changes .item')
    facts = browser.facts()
    assert facts.get('hash in NEW') == wanted[0].get('hash_new'), facts
    browser.click('.details .close')
    browser.key('.scatter', 'ArrowRight', 'Enter')
    assert browser.count('.details h2') == 1
    browser.click('.parts [data-part="newly run"] button')
    assert set(browser.texts('#changes .item .left span.newly-run')) == {'newly run'}


def compare_contexts(browser, subject):
    """The table and the graph against the changes of contexts."""
    rows = sorted(browser.wanted, key=lambda line: -abs(
        line['bytes']['new'] - line['bytes']['old']))
    sizes = [cells[1:3] for cells in browser.cells('#contexts .item')]
    for want in rows:
        assert [digits(want['bytes'][side]) for side in SIDES] in sizes, want
    browser.click('#flame [data-value="count"]')
    total = [sum(int(line['count'][side]) for line in rows) for side in SIDES]
    status = browser.texts('#flame .flame-status')[0]
    assert f'all: {digits(total[0])} in OLD, {digits(total[1])} in NEW' in status
    kinds = {classes.split()[1] for classes in
             browser.attributes('.flame .frame', 'class')}
    assert kinds <= {'more', 'less', 'even'} and len(kinds) > 1, kinds
    assert subject['contexts']


def compare(browser, page, path):
    """All sections against FILE, of prof-diff --json -C with all changes."""
    lines = lines_of(path)
    browser.size(1600)
    browser.open(page)
    browser.wanted = lines[1:]
    browser.drift = lambda line: line['share']['new'] - line['share']['old']
    verdicts = [verdict.split(':')[0] for verdict in
                browser.texts('#app .verdicts li')]
    assert verdicts == [verdict['verdict'] for verdict in
                        lines[0].get('verdicts', [])], verdicts
    if lines[0]['diff'] == 'heap':
        browser.drift = lambda line: line['bytes']['new'] - line['bytes']['old']
        compare_parts(browser, lines[0], 'contexts')
        compare_contexts(browser, lines[0])
    else:
        compare_parts(browser, lines[0], 'functions')
        compare_functions(browser)
    browser.check_quiet()
    # Each side has its own page.
    browser.open(page, '#profile=1')
    assert browser.count('#summary') and not browser.count('#comparison')
    browser.check_quiet()
