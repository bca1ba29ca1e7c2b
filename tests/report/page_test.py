"""The report's page in a real browser: drawn, clicked, zoomed, filtered, sorted; no script of a name runs.

Skipped (exit code 77) without chromium.

usage: page_test.py SAMPLE_PROGRAM [--screenshot FILE]
"""

import base64
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import browser as browsers

SKIPPED = 77
COLOURS = """(() => {
    const canvas = document.getElementById("canvas");
    const bytes = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    const seen = new Set();
    for (let i = 0; i < bytes.length; i += 4)
        if (bytes[i + 3] === 255) seen.add(bytes[i] + "," + bytes[i + 1] + "," + bytes[i + 2]);
    return [...seen];
})()"""
HIT, RUN, FAILED = "58,167,109", "224,145,47", "224,90,90"
VIEW = "document.body.dataset.view.split('-').map(Number)"
DETAIL = "document.getElementById('detail').textContent"
SHOWN_ROWS = "[...document.querySelectorAll('tr[data-slice]')].filter(row => !row.hidden).length"
FIRST_TIMES = "[...document.querySelectorAll('tr[data-slice] td:first-child')].map(c => Number(c.dataset.value))"


# From now on, each text that is drawn leaves its colour and the colour below its first letter.
RECORD_DRAWN = """(() => {
    const draw = CanvasRenderingContext2D.prototype.fillText;
    window.drawn = [];
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
        const ratio = this.canvas.width / this.canvas.clientWidth;
        const [red, green, blue, alpha] = this.getImageData((x + 1) * ratio, (y + 1) * ratio, 1, 1).data;
        const card = getComputedStyle(this.canvas.closest("section")).backgroundColor;
        if (x + 1 < this.canvas.clientWidth) window.drawn.push([text, this.fillStyle, alpha === 0 ? card : `rgb(${red}, ${green}, ${blue})`]);
        draw.apply(this, arguments);
    };
})()"""
WRITTEN = """(() => {
    const below = element => {
        const colour = getComputedStyle(element).backgroundColor;
        return colour === "rgba(0, 0, 0, 0)" && element.parentElement ? below(element.parentElement) : colour;
    };
    return [...document.body.querySelectorAll("*")]
        .filter(one => one.checkVisibility() && [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()))
        .map(one => [one.textContent, getComputedStyle(one).color, below(one)]);
})()"""
READABLE = 4.5  # WCAG 2, level AA


def luminance(colour):
    """Of "#rrggbb" or "rgb(r, g, b)", as WCAG 2 defines it."""
    parts = [int(colour[at:at + 2], 16) for at in (1, 3, 5)] if colour[0] == "#" else map(int, re.findall(r"\d+", colour)[:3])
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in (part / 255 for part in parts)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


class Page(unittest.TestCase):
    browser = None
    url = None

    def setUp(self):
        self.browser.open(self.url)

    def tearDown(self):
        names = self.browser.names_of_events()
        self.assertNotIn("Runtime.exceptionThrown", names)
        self.assertNotIn("Page.javascriptDialogOpening", names)
        asked = [event["params"]["request"]["url"] for event in self.browser.events
                 if event.get("method") == "Network.requestWillBeSent"]
        self.assertEqual([url for url in asked if url.startswith(("file:", "about:"))], asked, "asks nobody")

    def view(self):
        return self.browser.evaluate(VIEW)

    def test_draws_hits_runs_and_failures(self):
        self.assertLessEqual({HIT, RUN, FAILED}, set(self.browser.evaluate(COLOURS)))
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('.card').length"), 5)

    def test_text_can_be_read_on_bars_and_elsewhere_on_light_and_dark_screens(self):
        self.assertAlmostEqual(contrast("#ffffff", "rgb(0, 0, 0)"), 21)
        self.addCleanup(self.browser.ask, "Emulation.setEmulatedMedia", features=[])
        self.browser.evaluate(RECORD_DRAWN)
        for scheme, ink in (("light", "rgb(28, 36, 48)"), ("dark", "rgb(228, 232, 238)")):
            self.browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            self.browser.wait_until(f"getComputedStyle(document.body).color === '{ink}'")
            self.browser.evaluate("window.drawn.length = 0")
            self.browser.click_on("#zoom-in")
            self.browser.wait_until("window.drawn.length > 0")
            drawn = self.browser.evaluate("window.drawn")
            bars = {below for _, _, below in drawn}
            self.assertGreater(len(bars), 2, "text on bars of several outcomes, and beside them")
            for text, colour, below in drawn + self.browser.evaluate(WRITTEN):
                self.assertGreaterEqual(contrast(colour, below), READABLE, f"{scheme}: {text!r}: {colour} on {below}")

    def test_shows_hostile_names_as_text(self):
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('img').length"), 0)
        self.assertIn("<img src=x onerror=alert(1)>", self.browser.evaluate("document.body.innerText"))

    def test_zooms_with_buttons_and_wheel_and_keeps_that_in_the_address(self):
        full = self.view()
        self.browser.click_on("#zoom-in")
        half = self.view()
        self.assertAlmostEqual(half[1] - half[0], (full[1] - full[0]) / 2, delta=2)
        self.assertIn(f"from={half[0]}", self.browser.evaluate("location.hash"))
        x, y, _, _ = self.browser.place_of("#canvas")
        self.browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-100)
        self.browser.wait_until(f"({VIEW})[1] - ({VIEW})[0] < {half[1] - half[0]}")
        self.browser.click_on("#reset")
        self.assertEqual(self.view(), full)

    def test_moves_when_it_is_dragged(self):
        self.browser.click_on("#zoom-in")
        before = self.view()
        x, y, _, _ = self.browser.place_of("#canvas")
        self.browser.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.browser.mouse("mouseMoved", x - 120, y, button="left", buttons=1)
        self.browser.mouse("mouseReleased", x - 120, y, button="left", clickCount=1)
        after = self.view()
        self.assertGreater(after[0], before[0])
        self.assertAlmostEqual(after[1] - after[0], before[1] - before[0], delta=2)

    def test_goes_to_the_step_of_a_row_and_shows_the_step_under_the_mouse(self):
        full = self.view()
        self.browser.click_on("tr.goes")
        self.assertIn(": device gfx", self.browser.evaluate(DETAIL))
        self.assertLess(self.view()[1] - self.view()[0], full[1] - full[0])
        x, y, width, height = self.browser.place_of("#canvas")
        self.browser.evaluate("document.getElementById('detail').textContent = ''")
        for row in range(30, int(height), 5):
            self.browser.click(x + 60, y - height / 2 + row)
            if "after" in self.browser.evaluate(DETAIL):
                break
        self.assertIn("s, after", self.browser.evaluate(DETAIL))
        self.assertFalse(self.browser.evaluate("document.getElementById('tip').hidden"))
        self.assertIn("slice=", self.browser.evaluate("location.hash"))

    def test_filters_rows(self):
        self.assertEqual(self.browser.evaluate(SHOWN_ROWS), 100)
        self.browser.click_on("#filter")
        self.browser.type("kernels_4/")
        self.assertGreater(self.browser.evaluate(SHOWN_ROWS), 0)
        self.assertLess(self.browser.evaluate(SHOWN_ROWS), 100)

    def test_sorts_by_a_column(self):
        down = self.browser.evaluate(FIRST_TIMES)
        self.assertEqual(down, sorted(down, reverse=True))
        for _ in range(2):
            self.browser.click_on("section.long th")
        self.assertEqual(self.browser.evaluate(FIRST_TIMES), sorted(down))

    def test_opens_at_the_address_that_it_made(self):
        self.browser.open(self.url + "#from=1000000&to=3000000&slice=1.0")
        self.assertEqual(self.view(), [1000000, 3000000])
        self.assertIn("gfx1030", self.browser.evaluate(DETAIL))
        self.assertNotIn("img", self.browser.evaluate("location.hash"))


def screenshot(browser, place):
    height = browser.evaluate("document.documentElement.scrollHeight")
    browser.ask("Emulation.setDeviceMetricsOverride", width=1280, height=min(height, 4000), deviceScaleFactor=1,
                mobile=False)
    picture = browser.ask("Page.captureScreenshot", format="png")["data"]
    pathlib.Path(place).write_bytes(base64.b64decode(picture))


def main(sample, arguments):
    program = shutil.which("chromium")
    if program is None:
        print("skipped: the package chromium is not installed, which this test needs")
        return SKIPPED
    with tempfile.TemporaryDirectory() as directory, browsers.Browser(program) as browser:
        page = pathlib.Path(directory) / "page.html"
        page.write_bytes(subprocess.run([sample], check=True, stdout=subprocess.PIPE).stdout)
        Page.browser, Page.url = browser, page.as_uri()
        if arguments[:1] == ["--screenshot"]:
            browser.open(Page.url)
            screenshot(browser, arguments[1])
            return 0
        suite = unittest.defaultTestLoader.loadTestsFromTestCase(Page)
        return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
