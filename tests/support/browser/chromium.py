"""Chromium, by chromedriver of Debian."""
import json
import os
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

from driver import Driver


class Chromium(Driver):
    name = 'chromium'

    def __init__(self):
        # Chromium leaves files in TMPDIR behind.
        self.folder = tempfile.TemporaryDirectory()
        options = Options()
        for word in ('--headless=new', '--no-sandbox', '--disable-gpu',
                     '--disable-dev-shm-usage', '--lang=en'):
            options.add_argument(word)
        options.set_capability('goog:loggingPrefs',
                               {'browser': 'ALL', 'performance': 'ALL'})
        self.driver = webdriver.Chrome(
            service=Service('/usr/bin/chromedriver', env=dict(
                os.environ, TMPDIR=self.folder.name)), options=options)
        self.cdp('Browser.setDownloadBehavior', behavior='allow',
                 downloadPath=self.folder.name)

    def quit(self):
        self.driver.quit()
        self.folder.cleanup()

    def cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def run(self, script, *arguments):
        return self.driver.execute_script('return ' + script, *arguments)

    def run_async(self, script):
        return self.driver.execute_async_script(script)

    def go(self, address):
        self.driver.get(address)

    def size(self, width, height=900):
        self.cdp('Emulation.setDeviceMetricsOverride', width=width,
                 height=height, deviceScaleFactor=1, mobile=False)

    def picture(self, path):
        self.size(self.run('innerWidth'), min(6000, self.run(
            'document.documentElement.scrollHeight')))
        self.settle()
        self.driver.save_screenshot(path)

    def saved(self, name):
        """The path of a file that the page has saved; it must be there."""
        return os.path.join(self.folder.name, name)

    def check_quiet(self):
        """No message on the console, and no request but for the page."""
        messages = [entry['message'] for entry in
                    self.driver.get_log('browser')]
        assert messages == [], messages
        for entry in self.driver.get_log('performance'):
            message = json.loads(entry['message'])['message']
            if message['method'] == 'Network.requestWillBeSent':
                url = message['params']['request']['url']
                assert url.startswith(('file:', 'about:', 'data:',
                                       'blob:')), url
                assert '.html' in url or not url.startswith('file:'), url
