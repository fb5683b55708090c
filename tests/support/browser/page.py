"""Checks of any page."""
import os
import re

WIDTHS = 375, 1280, 2560


def check_fits(browser, page, width):
    wide = browser.run('document.documentElement.scrollWidth'
                       ' - document.documentElement.clientWidth')
    assert wide <= 0, f'{page}: {wide} pixels too wide at {width}'
    # Nor is there text that its panel cuts at the side.
    cut = browser.run('''Array.from(document.querySelectorAll(
        ".panel, .row, .figures, .details"), (e) => [e.id || e.className,
        e.scrollWidth - e.clientWidth]).filter((e) => e[1] > 1)''')
    assert cut == [], f'{page}: at {width}: {cut}'


def check_labels(browser):
    """Each control and picture has a name, and each id is there once."""
    nameless = browser.run('''Array.from(document.querySelectorAll(
        "#top button, #top select, #app button, #app input, #app select," +
        "#app svg, #app [role=img], #app [role=grid], #app [role=button]," +
        "#app [tabindex='0']"), (e) =>
        e.getAttribute("aria-label") || e.textContent.trim() ? "" :
        e.outerHTML.slice(0, 200)).filter((e) => e)''')
    assert nameless == [], nameless
    ids = browser.attributes('[id]', 'id')
    assert len(ids) == len(set(ids)), ids
    for word in 'aria-labelledby', 'aria-activedescendant':
        for name in browser.attributes(f'[{word}]', word):
            assert not name or name in ids, (word, name)


def opens(browser, page, *fragment):
    """At all widths, in both themes: quiet, and nothing wider than it may."""
    shots = os.environ.get('BROWSER_SHOTS')
    browser.size(WIDTHS[0])
    browser.open(page, *fragment)
    check_labels(browser)
    # Below what is seen, too.
    for chart in '#map', '#sizes', '#flame':
        assert browser.count(chart) == browser.count(chart + ' svg'), chart
    for theme in 'light', 'dark':
        browser.view({'theme': theme})
        for width in WIDTHS:
            browser.size(width)
            browser.settle()
            check_fits(browser, page, width)
            if shots:
                browser.picture(os.path.join(
                    shots, f'{os.path.basename(page)}-{width}-{theme}.png'))
    browser.check_quiet()


def fails(browser, page, reason):
    """What `opens` finds wrong with a page has that reason in it."""
    try:
        opens(browser, page)
    except AssertionError as error:
        assert reason in str(error), error
    else:
        raise AssertionError(f'{page}: {reason} was not found')


def hostile(browser, page):
    """No script of a name has run, no element was made of one."""
    browser.size(1280)
    browser.open(page)
    browser.run("document.querySelector('#map')?.scrollIntoView()")
    browser.settle()
    for selector in ('#functions .item', '.map .cell', '.details button',
                     '#sites .item', '.flame .frame', '#changes .item',
                     '#contexts .item', '#traces details summary',
                     '#traces td button'):
        for i in range(min(3, browser.count(selector))):
            if browser.count(selector) > i:
                browser.click(selector, i)
    assert browser.run('(window.wrappedJSObject || window).planted') is None
    assert browser.count('img, iframe, b, app script') == 0
    assert browser.run('/[\\u202a-\\u202e\\u2066-\\u2069]/.test('
                       'document.body.innerText)') is False
    browser.size(375)
    browser.settle()
    check_fits(browser, page, 375)
    check_labels(browser)
    browser.check_quiet()


def ends(browser, page):
    """Names that do not fit are cut in the middle: their ends are seen."""
    browser.size(WIDTHS[0])
    browser.open(page)
    rows = browser.run('''Array.from(document.querySelectorAll(
        "#functions .middle"), (e) => [e.textContent,
        e.firstElementChild.scrollWidth > e.firstElementChild.clientWidth,
        e.lastElementChild.getBoundingClientRect().right <=
        e.getBoundingClientRect().right + 1, e.getBoundingClientRect().width,
        e.lastElementChild.getBoundingClientRect().width])''')
    assert len(rows) == 2, rows
    assert all(row[1] and row[2] and len(row[0]) == 201 and row[0][-1] in '12'
               for row in rows), rows


def use(browser, page):
    """Search, filter, sort, keys, and a link that shows the same view."""
    browser.size(1280)
    browser.open(page)
    rows = browser.count('#functions .item')
    browser.run('(() => { const f = document.querySelector("#field-q");'
                'f.value = "f001?1"; f.dispatchEvent(new Event("input")); })()')
    browser.settle()
    names = browser.texts('#functions .item .mono')
    assert names and all(name[:4] == 'f001' and name[-1] == '1'
                         for name in names), names
    browser.click('#functions [data-column="name"]')
    assert browser.texts('#functions .item .mono') == sorted(names)
    browser.key('#functions .body', 'ArrowDown', 'ArrowDown')
    chosen = browser.texts('.details h2')
    assert chosen == sorted(names)[1:2], chosen
    link = browser.run('location.hash')
    browser.open(page, link)
    assert browser.texts('#functions .item .mono') == sorted(names)
    assert browser.texts('.details h2') == chosen
    browser.click('.details .close')
    browser.view({'q': '', 'class': 'hot'})
    assert set(browser.texts('#functions .item .left span.hot')) == {'hot'}
    assert rows > 0
    browser.check_quiet()


def keeps(browser, page, *words):
    """A link with words of the view, as name=value, shows what was chosen."""
    browser.size(1280, 6000)
    browser.open(page)
    before = browser.run('document.querySelector("#app").innerHTML')
    browser.view(dict(word.split('=', 1) for word in words))
    chosen = browser.run('document.querySelector("#app").innerHTML')
    assert chosen != before, words
    browser.open(page, browser.run('location.hash'))
    again = browser.run('document.querySelector("#app").innerHTML')

    def without_states(text):
        """The focus, and what a field was last told, are no part of it."""
        return re.sub(r' (aria-activedescendant|id)="[^"]*"', '', text)
    assert without_states(again) == without_states(chosen), words
    browser.check_quiet()


def large(browser, page, seconds):
    """Opens in time, and scrolls; rows are made as they are seen."""
    browser.size(1280)
    took = browser.open(page)
    print(f'opened in {took:.2f} s')
    assert took <= float(seconds), took
    worst = browser.run_async('''
        const done = arguments[0];
        const body = document.querySelector('#functions .body');
        let last = performance.now(), worst = 0, steps = 60;
        function step() {
            const now = performance.now();
            worst = Math.max(worst, now - last);
            last = now;
            body.scrollTop += body.scrollHeight / 60;
            if (steps-- > 0) requestAnimationFrame(step); else done(worst);
        }
        requestAnimationFrame(step);''')
    print(f'longest frame {worst:.0f} ms')
    made = browser.count('#functions .item')
    assert 0 < made < 100, made
    browser.check_quiet()


def plain(browser, page, rows):
    """Without JavaScript: the totals and the first rows, at all widths."""
    browser.cdp('Emulation.setScriptExecutionDisabled', value=True)
    browser.go('file://' + os.path.abspath(page))
    root = browser.cdp('DOM.getDocument')['root']['nodeId']
    found = browser.cdp('DOM.querySelectorAll', nodeId=root,
                        selector='#plain tbody tr')
    assert len(found['nodeIds']) == int(rows), found
    tree = browser.cdp('Accessibility.getFullAXTree')['nodes']
    names = [node.get('name', {}).get('value', '') for node in tree]
    assert any('Without JavaScript this page' in name for name in names)
    for width in WIDTHS:
        browser.size(width)
        wide = browser.cdp('Page.getLayoutMetrics')['cssContentSize']['width']
        assert wide <= width, (page, wide, width)
    browser.cdp('Emulation.setScriptExecutionDisabled', value=False)
    browser.check_quiet()


def paper(browser, page, *fragment):
    """On paper: no controls, no dark theme, nothing cut, the first rows."""
    browser.size(1700)
    browser.open(page, *fragment)
    # Observers do not see the width of paper.
    for event, fits in ('beforeprint', True), ('afterprint', False):
        browser.run(f'dispatchEvent(new Event("{event}"))')
        widths = set(browser.attributes('svg.chart', 'width'))
        assert not widths or (widths == {'700'}) == fits, (event, widths)
        assert browser.count('.grid:not(.narrow)') == (
            0 if fits else browser.count('.grid')), event
    browser.size(794)
    browser.open(page, *fragment)
    browser.view({'theme': 'dark'})
    browser.cdp('Emulation.setEmulatedMedia', media='print')
    browser.run('dispatchEvent(new Event("beforeprint"))')
    browser.settle()
    check_fits(browser, page, 'paper')
    ink = browser.run('getComputedStyle(document.documentElement)'
                      '.getPropertyValue("--ink")').strip()
    assert ink == '#1b1f24', ink
    shown = browser.run('''Array.from(document.querySelectorAll(
        "#tools, .row button, .row input"), (e) => e.offsetHeight)
        .filter((height) => height !== 0).length''')
    assert shown == 0, shown
    grids = browser.run('''Array.from(document.querySelectorAll(".grid"),
        (g) => [Number(g.getAttribute("aria-rowcount")) - 1,
        g.querySelectorAll(".item").length,
        g.querySelector(".body").scrollHeight -
        g.querySelector(".body").clientHeight])''')
    assert grids
    for rows, made, hidden in grids:
        assert made == min(100, rows) and hidden <= 1, (rows, made, hidden)
    browser.run('dispatchEvent(new Event("afterprint"))')
    browser.cdp('Emulation.setEmulatedMedia', media='')
    assert len(browser.cdp('Page.printToPDF')['data']) > 10000
    browser.check_quiet()


