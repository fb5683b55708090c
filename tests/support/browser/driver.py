"""What checks ask of a browser.  Subclasses have run, run_async, go and quit."""
import os
import time
from urllib.parse import quote


def digits(count):
    return f'{int(count):,}'


def percent(part):
    """As percent() of text.js."""
    return '<0.01%' if 0 < 100 * part < 0.005 else f'{100 * part:.2f}%'


class Driver:
    """A browser with one page open."""

    def open(self, page, fragment=''):
        """Seconds until the sections of the page are there."""
        self.go('about:blank')
        start = time.time()
        self.go('file://' + quote(os.path.abspath(page)) + fragment)
        while not self.run("document.documentElement.matches("
                           "'[data-ready], [data-failed]')"):
            assert time.time() - start < 60, page + ' does not open'
            time.sleep(0.02)
        assert self.run("document.documentElement.matches('[data-ready]')")
        took = time.time() - start
        self.settle()
        return took

    def settle(self):
        """Waits for timers of the page, and until three looks are equal."""
        self.run_async('''
            const done = arguments[arguments.length - 1];
            const app = document.querySelector("#app");
            let last = null, equal = 0;
            const look = () => {
                const now = app === null ? "" : app.innerHTML;
                equal = now === last ? equal + 1 : 1;
                last = now;
                if (equal === 3)
                    done();
                else
                    setTimeout(() => requestAnimationFrame(look), 40);
            };
            setTimeout(() => requestAnimationFrame(look), 120);''')

    def count(self, selector):
        return self.run('document.querySelectorAll(arguments[0]).length',
                        selector)

    def texts(self, selector):
        return self.run('Array.from(document.querySelectorAll(arguments[0]),'
                        ' (e) => e.textContent)', selector)

    def attributes(self, selector, name):
        return self.run('Array.from(document.querySelectorAll(arguments[0]),'
                        ' (e) => e.getAttribute(arguments[1]))', selector,
                        name)

    def cells(self, selector):
        """The texts of the children of each element."""
        return self.run('Array.from(document.querySelectorAll(arguments[0]),'
                        ' (e) => Array.from(e.children, (c) => c.textContent'
                        '))', selector)

    def click(self, selector, place=0):
        assert self.count(selector) > place, (selector, place)
        self.run('document.querySelectorAll(arguments[0])[arguments[1]]'
                 '.dispatchEvent(new MouseEvent("click", {bubbles: true}))',
                 selector, place)
        self.settle()

    def key(self, selector, *names):
        """Keys that the page gets, as if the element had the focus."""
        self.run('(() => { const e = document.querySelector(arguments[0]);'
                 ' e.focus(); for (const key of arguments[1]) e.dispatchEvent('
                 'new KeyboardEvent("keydown", {key, bubbles: true,'
                 ' cancelable: true})); })()', selector, names)
        self.settle()

    def view(self, words):
        """Sets words of the view, as a link does."""
        self.run('(() => { const all = new URLSearchParams(location.hash'
                 '.slice(1)); for (const [word, value] of Object.entries('
                 'arguments[0])) all.set(word, value); location.hash = all;'
                 '})()', words)
        self.settle()

    def facts(self):
        """The list of facts of the details that are shown."""
        return dict(zip(self.texts('.details dt'), self.texts('.details dd')))

    def readings(self, chart):
        """All that the reading of a chart says, from left to right.

        Equal readings side by side are one; ten of them are the right end.
        """
        return self.run('''(() => {
            const root = document.querySelector(arguments[0]);
            const found = [];
            for (let equal = 0; equal < 10;) {
                root.dispatchEvent(new KeyboardEvent("keydown",
                    { key: "ArrowRight", cancelable: true }));
                const text = root.querySelector(".reading text");
                const line = root.querySelector(".reading line");
                if (text === null)
                    break;
                const now = text.textContent + "\\n" +
                    line.getAttribute("x1");
                equal = found[found.length - 1] === now ? equal + 1 : 0;
                if (equal === 0)
                    found.push(now);
            }
            return found.map((now) => now.split("\\n")[0]);
        })()''', chart)
