# SPDX-License-Identifier: BSD-2-Clause
"""Opens a page in Chromium, without a window, and asks it questions.

    browser.py PAGE [--picture=FILE] [--dark] [--size=WxH] [EXPRESSION ...]

Prints the JSON of each expression once the page has set data-state, and fails
if the page asks for anything but itself, or its policy is violated.  Chromium
is controlled by a pipe (DevTools protocol)."""

import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile


class Browser:
    def __init__(self, page, size, dark):
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        here, self.write = os.pipe()
        self.read, there = os.pipe()

        def descriptors():
            # Chromium reads from 3 and writes to 4.
            os.dup2(here, 100)
            os.dup2(there, 101)
            os.dup2(100, 3)
            os.dup2(101, 4)

        self.process = subprocess.Popen(
            ['chromium', '--headless=new', '--remote-debugging-pipe',
             '--no-sandbox', '--no-first-run', '--disable-extensions',
             '--disable-dev-shm-usage', '--disable-gpu',
             '--disable-background-networking', '--mute-audio',
             '--user-data-dir=' + self.home.name],
            preexec_fn=descriptors, close_fds=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(here)
        os.close(there)
        self.number = 0
        self.left = b''
        self.requests = []
        self.problems = []
        target = self.call('Target.createTarget', {'url': 'about:blank'})
        self.session = None
        self.session = self.call('Target.attachToTarget', {
            'targetId': target['targetId'], 'flatten': True})['sessionId']
        width, height = size
        self.call('Emulation.setDeviceMetricsOverride', {
            'width': width, 'height': height, 'deviceScaleFactor': 1,
            'mobile': False})
        self.call('Emulation.setEmulatedMedia', {'features': [
            {'name': 'prefers-color-scheme',
             'value': 'dark' if dark else 'light'}]})
        for domain in 'Network', 'Log', 'Runtime', 'Page':
            self.call(domain + '.enable')
        self.call('Page.navigate', {
            'url': pathlib.Path(page).resolve().as_uri()})

    session = None

    def message(self):
        while b'\0' not in self.left:
            part = os.read(self.read, 1 << 20)
            if not part:
                sys.exit('chromium has ended')
            self.left += part
        one, self.left = self.left.split(b'\0', 1)
        return json.loads(one)

    def call(self, method, params=None):
        self.number += 1
        sent = {'id': self.number, 'method': method, 'params': params or {}}
        if self.session:
            sent['sessionId'] = self.session
        os.write(self.write, json.dumps(sent).encode() + b'\0')
        while True:
            got = self.message()
            if got.get('id') == self.number:
                if 'error' in got:
                    sys.exit(f'{method}: {got["error"]}')
                return got['result']
            self.note(got)

    def note(self, event):
        params = event.get('params', {})
        if event.get('method') == 'Network.requestWillBeSent':
            self.requests.append(params['request']['url'][:100])
        elif event.get('method') == 'Log.entryAdded':
            self.problems.append(params['entry']['text'])
        elif event.get('method') == 'Runtime.exceptionThrown':
            self.problems.append(str(params['exceptionDetails']))

    def ask(self, expression):
        got = self.call('Runtime.evaluate', {
            'expression': expression, 'returnByValue': True,
            'awaitPromise': True})
        if 'exceptionDetails' in got:
            sys.exit(f'{expression}: {got["exceptionDetails"]}')
        return got['result'].get('value')

    def state(self):
        return self.ask('''new Promise(done => {
            const look = () => {
                const state = document.documentElement?.dataset.state;
                if (state && document.readyState === 'complete')
                    done(state);
                else if (performance.now() > 60000)
                    done('without a state');
                else
                    setTimeout(look, 10);
            };
            look();
        })''')

    def end(self):
        self.session = None
        self.call('Browser.close')
        self.process.wait()
        self.home.cleanup()


def main():
    page, *rest = sys.argv[1:]
    options = dict(a[2:].split('=', 1) if '=' in a else (a[2:], '')
                   for a in rest if a.startswith('--'))
    size = [int(n) for n in options.get('size', '1400x900').split('x')]
    browser = Browser(page, size, 'dark' in options)
    state = browser.state()
    for expression in rest:
        if not expression.startswith('--'):
            print(json.dumps(browser.ask(expression)))
    if 'picture' in options:
        browser.ask('new Promise(d => requestAnimationFrame(() =>'
                    ' requestAnimationFrame(d)))')
        shot = browser.call('Page.captureScreenshot', {'format': 'png'})
        with open(options['picture'], 'wb') as f:
            f.write(base64.b64decode(shot['data']))
    others = [u for u in browser.requests if u != 'about:blank'][1:]
    browser.end()
    if state != 'ready' or others or browser.problems:
        sys.exit(f'{page}: {state}, requests {others}, {browser.problems}')


main()
