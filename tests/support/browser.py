#!/usr/bin/env python3
"""Opens pages of prof-report in Chromium: browser.py CHECK PAGE [FILE].

opens     at three widths, in both themes: no message on the console, no request,
          nothing wider than the window
numbers   the table of functions against FILE, of prof-show --json --functions
heap      the graph and the table of sites against FILE, of prof-show --heap --json
compare   the sections of a comparison against FILE, of prof-diff --json -C with
          all its changes
hostile   no script of a name has run, no element was made of one
use       search, filter, sort, keys, and a link that shows the same view
large     opens within FILE seconds, and scrolls

BROWSER_SHOTS names a folder for pictures of what `opens` saw.
"""
import json
import os
import sys
import time
from urllib.parse import quote

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

WIDTHS = 375, 1280, 2560


class Browser:
    def __init__(self):
        options = Options()
        for word in ('--headless=new', '--no-sandbox', '--disable-gpu',
                     '--disable-dev-shm-usage', '--lang=en'):
            options.add_argument(word)
        options.set_capability('goog:loggingPrefs',
                               {'browser': 'ALL', 'performance': 'ALL'})
        self.driver = webdriver.Chrome(
            service=Service('/usr/bin/chromedriver'), options=options)

    def run(self, script, *arguments):
        return self.driver.execute_script('return ' + script, *arguments)

    def size(self, width, height=900):
        self.driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', {
            'width': width, 'height': height, 'deviceScaleFactor': 1,
            'mobile': False})

    def open(self, page, fragment=''):
        """Seconds until the sections of the page are there."""
        self.driver.get('about:blank')
        start = time.time()
        self.driver.get('file://' + quote(os.path.abspath(page)) + fragment)
        while not self.run("document.documentElement.matches("
                           "'[data-ready], [data-failed]')"):
            assert time.time() - start < 60, page + ' does not open'
            time.sleep(0.02)
        assert self.run("document.documentElement.matches('[data-ready]')")
        return time.time() - start

    def settle(self):
        """Waits for timers of the page and for two frames."""
        time.sleep(0.15)
        self.driver.execute_async_script(
            'const done = arguments[0]; requestAnimationFrame(() =>'
            'requestAnimationFrame(done));')

    def find(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        return self.run('Array.from(document.querySelectorAll(arguments[0]),'
                        ' (e) => e.textContent)', selector)

    def check_quiet(self):
        """No message on the console, and no request but for the page."""
        messages = [entry['message'] for entry in
                    self.driver.get_log('browser')]
        assert messages == [], messages
        for entry in self.driver.get_log('performance'):
            message = json.loads(entry['message'])['message']
            if message['method'] == 'Network.requestWillBeSent':
                url = message['params']['request']['url']
                assert url.startswith(('file:', 'about:', 'data:')), url
                assert '.html' in url or 'page' in url or \
                    url.startswith(('about:', 'data:')), url


def opens(browser, page):
    for width in WIDTHS:
        for theme in 'light', 'dark':
            browser.size(width)
            browser.open(page, '#theme=' + theme)
            browser.settle()
            browser.check_quiet()
            wide = browser.run('document.documentElement.scrollWidth'
                               ' - document.documentElement.clientWidth')
            assert wide <= 0, f'{page}: {wide} pixels too wide at {width}'
            shots = os.environ.get('BROWSER_SHOTS')
            if shots:
                browser.size(width, min(6000, browser.run(
                    'document.documentElement.scrollHeight')))
                browser.settle()
                browser.driver.save_screenshot(os.path.join(
                    shots, f'{os.path.basename(page)}-{width}-{theme}.png'))


def digits(count):
    return f'{int(count):,}'


def numbers(browser, page, path):
    with open(path, encoding='utf-8') as file:
        wanted = [json.loads(line) for line in file]
    browser.size(1600)
    browser.open(page)
    browser.settle()
    shown = browser.run(
        "Array.from(document.querySelectorAll('#functions .item'), (r) =>"
        " Array.from(r.children, (c) => c.textContent))")
    assert len(shown) >= min(20, len(wanted)), (len(shown), len(wanted))
    for row, want in zip(shown, wanted):
        assert row[6] == want.get('demangled', want.get('name')), (row, want)
        assert row[5] == digits(want['counters']), (row, want)
        if 'max_count' in want:
            assert row[3] == digits(want['max_count']), (row, want)
            assert row[4] == digits(want['counts'][0]), (row, want)
    for i, want in enumerate(wanted[:5]):
        browser.find('#functions .item')[i].click()
        facts = dict(zip(browser.texts('.details dt'),
                         browser.texts('.details dd')))
        assert facts['hash'] == want['hash'], (facts, want)
        if 'max_count' in want:
            total = sum(int(count) for count in want['counts'])
            assert facts['counts'] == digits(total) + ' in all', facts
            bars = browser.texts('.details .strip i')
            assert len(bars) == min(160, want['counters']), len(bars)
        sites = sum(len(kind) for kind in want.get('values', {}).values())
        assert len(browser.find('.details .site')) == sites, want
    browser.check_quiet()


def heap(browser, page, path):
    with open(path, encoding='utf-8') as file:
        lines = [json.loads(line) for line in file]
    total = sum(int(line['bytes']) for line in lines
                if line['heap'] == 'summary')
    sites = [line for line in lines if line['heap'] == 'site']
    browser.size(1600)
    browser.open(page)
    browser.settle()
    assert browser.texts('#sites .row .hint')[0].startswith(
        f'{len(sites)} of {len(sites)} ')
    for row, site in zip(browser.find('#sites .item'), sites):
        cells = [cell.text for cell in row.find_elements(By.XPATH, '*')]
        assert cells[2] == digits(site['count']), (cells, site)
        assert cells[6] == digits(site['contexts']), (cells, site)
    assert digits(total) in browser.texts('#heap dd small'), total
    boxes = len(browser.find('.flame .frame'))
    browser.find('#flame [data-value="yes"]')[0].click()
    browser.settle()
    browser.find('.flame .frame')[1].click()
    browser.settle()
    assert 'zoom=' in browser.driver.current_url
    browser.find('.flame')[0].send_keys(Keys.ESCAPE)
    browser.settle()
    assert 'zoom=' not in browser.driver.current_url
    browser.find('#flame [data-value=""]')[0].click()
    browser.settle()
    assert len(browser.find('.flame .frame')) == boxes
    browser.check_quiet()


def shown_share(share):
    return f'{100 * share:.3f}%'


def compare_parts(browser, subject, changed):
    """The table of parts against the subject of a comparison."""
    rows = {row[0]: row[1:] for row in browser.run(
        "Array.from(document.querySelectorAll('.parts tbody tr'), (r) =>"
        " Array.from(r.children, (c) => c.textContent))")}
    share = shown_share(subject['overlap'])
    assert rows['overlap'] == [digits(subject['common']), share, share], rows
    assert rows['new'][::2] == [digits(subject['new']),
                                shown_share(subject['new_share'])], rows
    assert rows['lost'][:2] == [digits(subject['lost']),
                                shown_share(subject['lost_share'])], rows
    for word, sign in changed.items():
        lines = [line for line in browser.wanted if line['state'] == 'changed'
                 and sign * browser.drift(line) > 0]
        assert (word in rows) == (len(lines) > 0), (word, rows)
        assert not lines or rows[word][0] == digits(len(lines)), rows


def compare_functions(browser):
    """Table, scatter plot and drift against the changes of functions."""
    wanted = browser.wanted
    changed = [line for line in wanted if browser.drift(line) != 0]
    for row, want in zip(browser.find('#changes .item'), changed):
        cells = [cell.text for cell in row.find_elements(By.XPATH, '*')]
        change = want['share']['b'] - want['share']['a']
        assert float(cells[0][:-1]) == round(100 * change, 3), (cells, want)
        assert cells[1:3] == [shown_share(want['share'][side])
                              for side in 'ab'], (cells, want)
        assert cells[4:6] == [digits(want['count'][side])
                              for side in 'ab'], (cells, want)
        assert cells[6] == want.get('demangled', want['name']), (cells, want)
    dots = {path.get_attribute('class').split()[1]:
            int(path.get_attribute('data-functions'))
            for path in browser.find('.scatter .spots')}
    for word in 'new', 'lost':
        assert dots[word] == len([line for line in wanted
                                  if line['state'] == word and
                                  sum(line['share'].values()) > 0]), dots
    drift = [float(row.find_elements(By.XPATH, '*')[0].text[:-1])
             for row in browser.find('#drift .item')]
    total = sum(line['share']['b'] - line['share']['a'] for line in wanted)
    assert abs(sum(drift) - 100 * total) < 0.01, (drift, total)
    browser.find('#changes .item')[0].click()
    browser.settle()
    facts = dict(zip(browser.texts('.details dt'),
                     browser.texts('.details dd')))
    assert facts.get('hash in B') == wanted[0].get('hash_b'), facts
    browser.find('.details .close')[0].click()
    browser.find('.scatter')[0].send_keys(Keys.ARROW_RIGHT, Keys.ENTER)
    browser.settle()
    assert len(browser.find('.details h2')) == 1
    browser.run('scrollTo(0, 0)')
    browser.find('.parts [data-part="new"] button')[0].click()
    browser.settle()
    assert set(browser.texts('#changes .item .left span.new')) == {'new'}


def compare_contexts(browser, subject):
    """The table and the graph against the changes of contexts."""
    rows = sorted(browser.wanted, key=lambda line: -abs(
        line['bytes']['b'] - line['bytes']['a']))
    sizes = [[cell.text for cell in row.find_elements(By.XPATH, '*')][1:3]
             for row in browser.find('#contexts .item')]
    for want in rows:
        assert [digits(want['bytes'][side]) for side in 'ab'] in sizes, want
    browser.find('#flame [data-value="count"]')[0].click()
    browser.settle()
    total = [sum(int(line['count'][side]) for line in rows) for side in 'ab']
    status = browser.texts('#flame .flame-status')[0]
    assert f'all: {digits(total[0])} in A, {digits(total[1])} in B' in status
    kinds = {g.get_attribute('class').split()[1]
             for g in browser.find('.flame .frame')}
    assert kinds <= {'more', 'less', 'even'} and len(kinds) > 1, kinds
    assert subject['contexts']


def compare(browser, page, path):
    with open(path, encoding='utf-8') as file:
        lines = [json.loads(line) for line in file]
    browser.size(1600)
    browser.open(page)
    browser.settle()
    browser.wanted = lines[1:]
    browser.drift = lambda line: line['share']['b'] - line['share']['a']
    verdicts = [verdict.split(':')[0] for verdict in
                browser.texts('#app .verdicts li')]
    assert verdicts == [verdict['verdict'] for verdict in
                        lines[0].get('verdicts', [])], verdicts
    if lines[0]['diff'] == 'heap':
        browser.drift = lambda line: line['bytes']['b'] - line['bytes']['a']
        compare_parts(browser, lines[0], {'more': 1, 'less': -1})
        compare_contexts(browser, lines[0])
    else:
        compare_parts(browser, lines[0], {'hotter': 1, 'colder': -1})
        compare_functions(browser)
    browser.check_quiet()
    # Each side has its own page.
    browser.open(page, '#profile=1')
    browser.settle()
    assert browser.find('#summary') and not browser.find('#comparison')
    browser.check_quiet()


def hostile(browser, page):
    browser.size(1280)
    browser.open(page)
    browser.settle()
    browser.run("document.querySelector('#map')?.scrollIntoView()")
    browser.settle()
    assert browser.find('.map .cell') or browser.find('#comparison')
    for selector in '#functions .item', '.map .cell', '.details button':
        for i in range(min(4, len(browser.find(selector)))):
            browser.run('document.querySelectorAll(arguments[0])'
                        '[arguments[1]]?.dispatchEvent(new MouseEvent("click",'
                        ' {bubbles: true}))', selector, i)
            browser.settle()
    assert browser.run('globalThis.planted') is None
    assert browser.find('img, iframe, b, app script') == []
    assert browser.run('/[\\u202a-\\u202e\\u2066-\\u2069]/.test('
                       'document.body.innerText)') is False
    browser.check_quiet()


def use(browser, page):
    browser.size(1280)
    browser.open(page)
    rows = len(browser.find('#functions .item'))
    browser.find('#field-q')[0].send_keys('f001?1')
    browser.settle()
    names = browser.texts('#functions .item .mono')
    assert names and all(name[:4] == 'f001' and name[-1] == '1'
                         for name in names), names
    browser.find('#functions [data-column="name"]')[0].click()
    browser.settle()
    assert browser.texts('#functions .item .mono') == sorted(names)
    browser.find('#functions .body')[0].send_keys(Keys.ARROW_DOWN,
                                                  Keys.ARROW_DOWN)
    browser.settle()
    chosen = browser.texts('.details h2')
    assert chosen == sorted(names)[1:2], chosen
    link = browser.driver.current_url
    browser.driver.get('about:blank')
    browser.open(page, link[link.index('#'):])
    browser.settle()
    assert browser.texts('#functions .item .mono') == sorted(names)
    assert browser.texts('.details h2') == chosen
    browser.find('.details .close')[0].click()
    browser.driver.execute_script("view.set({ q: '', class: 'hot' })")
    browser.settle()
    assert set(browser.texts('#functions .item .left span.hot')) == {'hot'}
    assert rows > 0
    browser.check_quiet()


def large(browser, page, seconds):
    browser.size(1280)
    took = browser.open(page)
    print(f'opened in {took:.2f} s')
    assert took <= float(seconds), took
    worst = browser.driver.execute_async_script('''
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
    made = len(browser.find('#functions .item'))
    assert 0 < made < 100, made
    browser.check_quiet()


CHECKS = {check.__name__: check for check in
          (opens, numbers, heap, compare, hostile, use, large)}


def main():
    browser = Browser()
    try:
        CHECKS[sys.argv[1]](browser, *sys.argv[2:])
    finally:
        browser.driver.quit()


main()
