"""Pages of prof-cover: the small program of tests/data/cover/page."""

from page import check_fits, check_labels


def rows(browser):
    """The lines of the source and what is told of them."""
    return browser.cells('#source .item')


def choose(browser, path):
    browser.view({'file': path, 'line': ''})


def chosen(browser):
    return browser.texts('#source .item[aria-selected="true"] span')


def files_of(browser):
    return browser.texts('#files .item .path')


def cover_totals(browser, page):
    """Totals, folders and files, sorted by a click, and found by a word."""
    browser.size(1280)
    browser.open(page)
    shown = dict(zip(browser.texts('.figures dt'), browser.texts('.figures dd')))
    assert shown == {
        'lines': '76.4%26 of 34', 'functions': '83.3%5 of 6',
        'regions': '77.7%28 of 36',
        'branches': '57.1%12 of 21', 'MC/DC': '33.3%1 of 3'}, shown
    assert browser.cells('#files .item') == [
        ['▾ src/', '8', '76.4%', '83.3%', '77.7%', '57.1%', '33.3%'],
        ['app.cpp', '7', '72.0%', '75.0%', '78.5%', '58.8%', '33.3%'],
        ['shape.h', '1', '80.0%', '100.0%', '75.0%', '50.0%', '–'],
        ['text.h', '0', '100.0%', '100.0%', '75.0%', '50.0%', '–']]
    browser.click('#files .item')
    assert files_of(browser) == ['▸ src/']
    browser.click('#files .item')
    browser.click('#files [data-column="branches"]')
    assert files_of(browser)[1:] == ['shape.h', 'text.h', 'app.cpp']
    browser.click('#files [data-column="missed"]')
    assert files_of(browser)[1:] == ['app.cpp', 'shape.h', 'text.h']
    for word, found in (('twice<', ['shape.h']), ('NEVER', ['app.cpp']),
                        ('*.h', ['shape.h', 'text.h'])):
        browser.view({'q': word})
        assert files_of(browser)[1:] == found, (word, files_of(browser))
    browser.check_quiet()


def cover_source(browser, page):
    """Lines, what did not run of them, and branches."""
    browser.size(1280, 2000)
    browser.open(page)
    choose(browser, 'src/app.cpp')
    assert rows(browser)[10:15] == [
        ['11', '2', '\tif (a > 0 && (b > 0 || c > 0))'],
        ['', '', 'branch 11:16 b > 0: true 1, false 0 ✗'],
        ['12', '1', '\t\treturn 1;'],
        ['13', '1', '\treturn a < 0 ? never(a) : 0;'],
        ['', '', 'branch 13:9 a < 0: true 0 ✗, false 1']], rows(browser)
    assert browser.texts('#source u') == ['c > 0', 'never(a)', '{']
    assert [row[0] for row in browser.cells('#source .missed')] == [
        '5', '6', '7', '21', '32', '33', '34']
    browser.view({'branches': 'all'})
    assert [row[2] for row in rows(browser) if row[0] == ''][:3] == [
        'branch 11:6 a > 0: true 1, false 1',
        'branch 11:16 b > 0: true 1, false 0 ✗',
        'branch 11:25 c > 0: true 0 ✗, false 0 ✗']
    browser.view({'branches': 'none'})
    assert [row[0] for row in rows(browser)] == [str(i) for i in range(1, 37)]
    # Bytes that are no UTF-8, a CR, no newline at the end.
    choose(browser, 'src/text.h')
    assert rows(browser)[2][2] == ('\tconst char *word = "hé \ufffd\ufffd"; '
                                   '/* \\u202e */ if (*s == 0) { return 1; }')
    assert browser.texts('#source u') == ['{ return 1; }']
    assert [row[:2] for row in rows(browser)] == [
        ['1', ''], ['2', '1'], ['3', '1'], ['4', '1'], ['5', '1']]
    browser.check_quiet()


def cover_keys(browser, page):
    """n and p lead to what was missed, functions to their lines."""
    browser.size(1280, 2000)
    browser.open(page)
    choose(browser, 'src/app.cpp')
    stops = []
    for key in 'nnnnnnnpp':
        browser.key('body', key)
        stops.append(chosen(browser)[2 if chosen(browser)[0] == '' else 0])
    assert stops == ['5', '11', '13', 'branch 20:7 n == 7: true 0 ✗, false 3',
                     '31', '31', '31',
                     'branch 20:7 n == 7: true 0 ✗, false 3', '13'], stops
    # A letter in a field is for the field.
    browser.key('#field-q', 'p')
    assert chosen(browser)[0] == '13', chosen(browser)
    browser.view({'file': 'src/shape.h', 'line': '4'})
    link = browser.run('location.hash')
    browser.open(page, link)
    assert browser.texts('#source h2') == ['src/shape.h']
    assert chosen(browser)[:2] == ['4', '1'], chosen(browser)
    assert browser.cells('#functions .item') == [
        ['1', 'double twice<double>(double)', 'src/shape.h:8'],
        ['1', 'int twice<int>(int)', 'src/shape.h:8']]
    browser.click('#functions .item')
    assert chosen(browser)[:2] == ['8', '2'], chosen(browser)
    browser.view({'q': '*'})
    browser.click('#functions [data-column="count"]')
    assert browser.texts('#functions .item .mono')[0] == 'app.cpp:never(int)'
    browser.check_quiet()


def cover_patch(browser, page):
    """Lines 11 and 31 to 33 of app.cpp are those of a patch."""
    browser.size(1280, 2000)
    browser.open(page)
    assert browser.texts('.figures dd')[0] == '50.0%2 of 4'
    choose(browser, 'src/app.cpp')
    assert [row[0] for row in rows(browser) if row[0].startswith('+ ')] == [
        '+ 11', '+ 31', '+ 32', '+ 33']
    browser.view({'only': 'patch', 'branches': 'none'})
    assert [row[0] for row in rows(browser)] == ['+ 11', '+ 31', '+ 32',
                                                '+ 33']
    assert browser.cells('#files .item') == [
        [name, '7', '50.0%', '72.0%', '75.0%', '78.5%', '58.8%', '33.3%']
        for name in ('▾ src/', 'app.cpp')]
    browser.check_quiet()


def cover_counts(browser, page, note):
    """There are counts where there are no sources."""
    browser.size(1280, 2000)
    browser.open(page)
    assert browser.texts('#summary .note') == [note]
    choose(browser, 'src/app.cpp')
    assert ['33', '0', ''] in rows(browser)
    at = rows(browser).index(['11', '2', ''])
    assert rows(browser)[at + 1] == [
        '', '', 'branch 11:16 : true 1, false 0 ✗'], rows(browser)
    assert browser.count('#source .partly') == 3
    browser.key('body', 'n', 'n')
    assert chosen(browser)[0] == '11'
    browser.check_quiet()


def cover_hostile(browser, page):
    """No script of a name or a source has run, no element was made of one."""
    browser.size(1280)
    browser.open(page)
    for selector in '#files .item', '#functions .item':
        for i in range(3):
            if browser.count(selector) > i:
                browser.click(selector, i)
    for path in browser.run('Array.from(document.querySelectorAll('
                            '"#files .path"), (e) => e.title)'):
        choose(browser, path)
        assert 'planted' in ''.join(browser.texts('#source .code')), path
        browser.key('body', 'n', 'p')
    assert browser.run('(window.wrappedJSObject || window).planted') is None
    assert browser.count('img, iframe, b, app script') == 0
    assert browser.run('/[\\u202a-\\u202e\\u2066-\\u2069]/.test('
                       'document.body.innerText)') is False
    browser.size(375)
    browser.settle()
    check_fits(browser, page, 375)
    check_labels(browser)
    browser.check_quiet()


def cover_large(browser, page, seconds, lines):
    """Opens in time, and a long source scrolls; rows are made as seen."""
    browser.size(1280)
    took = browser.open(page)
    print(f'opened in {took:.2f} s')
    assert took <= float(seconds), took
    browser.click('#files .item', 1)
    assert 0 < browser.count('#source .item') < 100
    browser.key('#source .body', 'End')
    assert rows(browser)[-1][0] == lines, rows(browser)[-1]
    assert 0 < browser.count('#source .item') < 100
    browser.check_quiet()
