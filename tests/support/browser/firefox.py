"""Firefox, by Marionette: JSON with its size in front, over a socket.

Facts: remote/marionette/ of Firefox's sources.  Commands are [0, id, name,
parameters], answers [1, id, error, result].
"""
import json
import os
import socket
import subprocess
import tempfile
import time

from driver import Driver

SETTINGS = '''
user_pref("marionette.port", 0);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("toolkit.telemetry.enabled", false);
user_pref("app.normandy.enabled", false);
user_pref("browser.safebrowsing.update.enabled", false);
user_pref("extensions.update.enabled", false);
user_pref("browser.startup.page", 0);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
'''


class Firefox(Driver):
    name = 'firefox'

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        with open(os.path.join(self.folder.name, 'user.js'), 'w',
                  encoding='ascii') as file:
            file.write(SETTINGS)
        self.process = subprocess.Popen(
            ['firefox-esr', '--headless', '--marionette',
             '--remote-allow-system-access', '--profile', self.folder.name],
            env=dict(os.environ, HOME=self.folder.name),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.last = 0
        self.socket = socket.create_connection(('127.0.0.1', self.port()),
                                               timeout=90)
        self.stream = self.socket.makefile('rb')
        self.receive()
        self.command('WebDriver:NewSession', {})

    def port(self):
        """The port, which Firefox writes to its profile."""
        path = os.path.join(self.folder.name, 'MarionetteActivePort')
        for _ in range(900):
            if os.path.exists(path):
                with open(path, encoding='ascii') as file:
                    text = file.read()
                if text:
                    return int(text)
            assert self.process.poll() is None, 'Firefox has ended'
            time.sleep(0.1)
        raise AssertionError('Firefox does not listen')

    def receive(self):
        size = b''
        while (byte := self.stream.read(1)) != b':':
            assert byte, 'Firefox has ended'
            size += byte
        return json.loads(self.stream.read(int(size)))

    def command(self, name, parameters):
        self.last += 1
        text = json.dumps([0, self.last, name, parameters]).encode()
        self.socket.sendall(str(len(text)).encode() + b':' + text)
        _, _, error, result = self.receive()
        assert error is None, (name, error)
        return result

    def quit(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    def script(self, command, script, arguments):
        return self.command('WebDriver:' + command, {
            'script': script, 'args': list(arguments), 'sandbox': None,
            'newSandbox': False})['value']

    def run(self, script, *arguments):
        return self.script('ExecuteScript', 'return ' + script, arguments)

    def run_async(self, script):
        return self.script('ExecuteAsyncScript', script, ())

    def go(self, address):
        self.command('WebDriver:Navigate', {'url': address})

    def size(self, width, height=900):
        """The width of the page; a window may have borders."""
        self.command('WebDriver:SetWindowRect',
                     {'width': width, 'height': height})

    def check_quiet(self):
        """No message on the console but of the browser's own files."""
        self.command('Marionette:SetContext', {'value': 'chrome'})
        messages = self.script('ExecuteScript', '''
            const found = Services.console.getMessageArray()
                .filter((m) => m instanceof Ci.nsIScriptError &&
                    /^(file|data|blob|about:blank)/.test(m.sourceName))
                .map((m) => m.errorMessage);
            Services.console.reset();
            return found;''', ())
        self.command('Marionette:SetContext', {'value': 'content'})
        assert messages == [], messages
