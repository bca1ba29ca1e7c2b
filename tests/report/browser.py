"""Chromium without a window, driven by the DevTools protocol over two pipes: no port, and no library."""

import json
import os
import select
import subprocess
import tempfile
import time

PATIENCE = 120  # seconds for what must come


class Browser:
    def __init__(self, program, width=1280, height=900):
        self._home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        flags = ["--headless", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
                 "--disable-background-networking", "--disable-dev-shm-usage", f"--user-data-dir={self._home.name}",
                 f"--window-size={width},{height}", "about:blank"]
        if os.geteuid() == 0:
            flags.insert(0, "--no-sandbox")  # which root cannot have

        def take_places():
            # Far from 3 and 4 first: one of the two may already be there.
            os.dup2(os.dup2(to_browser, 100), 3)
            os.dup2(os.dup2(from_browser, 101), 4)

        self._process = subprocess.Popen([program, *flags], pass_fds=(3, 4, to_browser, from_browser),
                                         preexec_fn=take_places, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._bytes, self._number, self._session = b"", 0, None
        self.events = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)
        self._home.cleanup()

    def _message(self, deadline):
        while b"\0" not in self._bytes:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._in], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            got = os.read(self._in, 1 << 20)
            if not got:
                raise EOFError("the browser has ended")
            self._bytes += got
        line, self._bytes = self._bytes.split(b"\0", 1)
        return json.loads(line)

    def ask(self, method, **parameters):
        self._number += 1
        question = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            question["sessionId"] = self._session
        os.write(self._out, json.dumps(question).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        while True:
            message = self._message(deadline)
            if message.get("id") == self._number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def open(self, url):
        self.events.clear()
        self.ask("Page.navigate", url="about:blank")
        self.ask("Page.navigate", url=url)
        self.wait_until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def evaluate(self, expression):
        result = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait_until(self, expression):
        deadline = time.monotonic() + PATIENCE
        while not self.evaluate(expression):
            if time.monotonic() > deadline:
                raise TimeoutError(expression)
            time.sleep(0.02)

    def mouse(self, kind, x, y, **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def place_of(self, selector):
        """The middle of the element, after it was brought into view."""
        return self.evaluate(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            element.scrollIntoView({{block: "center", behavior: "instant"}});
            const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2, box.width, box.height];
        }})()""")

    def click_on(self, selector):
        x, y, _, _ = self.place_of(selector)
        self.click(x, y)

    def type(self, text):
        self.ask("Input.insertText", text=text)

    def names_of_events(self):
        return [event.get("method") for event in self.events]
