"""Headless Chromium by its DevTools protocol over a pipe (--remote-debugging-pipe): messages are
JSON, each ended by a NUL, commands on file descriptor 3 and answers on 4. Python's standard library
is all it needs."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")

# What a key press needs beside its name, for keys that write nothing.
KEYS = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9}


def find():
    """The browser's path, None when there is none."""
    return next((p for p in map(shutil.which, NAMES) if p), None)


class Browser:
    def __init__(self, path, timeout=300):
        self.timeout = timeout
        self.buffer = b""
        self.last = 0
        self.events = []
        self.folder = tempfile.mkdtemp(prefix="tprof-browser-")
        theirs_in, self.out = os.pipe()
        self.into, theirs_out = os.pipe()

        def descriptors():
            # They may be 3 or 4 themselves: out of the way first.
            a, b = os.dup(theirs_in), os.dup(theirs_out)
            a, b = os.dup(a), os.dup(b)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.log = open(os.path.join(self.folder, "log"), "w")
        self.process = subprocess.Popen(
            [path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--no-first-run", "--no-default-browser-check", "--disable-extensions", "--disable-background-networking",
             "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--force-color-profile=srgb", "--remote-debugging-pipe",
             "--user-data-dir=" + os.path.join(self.folder, "profile"), "about:blank"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, close_fds=False, preexec_fn=descriptors)
        os.close(theirs_in)
        os.close(theirs_out)
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(domain + ".enable")

    def close(self):
        try:
            self.session = None
            self.send("Browser.close")
            self.process.wait(60)
        except Exception:
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.into)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    # ---- the protocol ----

    def receive(self):
        end = time.monotonic() + self.timeout
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.into], [], [], max(end - time.monotonic(), 0))
            data = os.read(self.into, 1 << 16) if ready else b""
            if not data:
                raise RuntimeError("the browser does not answer" if not ready else "the browser has ended")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, **params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            answer = self.receive()
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(method + ": " + answer["error"]["message"])
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    # ---- a page ----

    def size(self, width, height, scale=1):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def media(self, scheme="light", media="", scripts=True):
        self.send("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.send("Emulation.setScriptExecutionDisabled", value=not scripts)

    def goto(self, path, ready="document.documentElement.dataset.ready === 'yes'"):
        self.events.clear()
        self.send("Page.navigate", url="file://" + os.path.abspath(path))
        end = time.monotonic() + self.timeout
        while not any(e["method"] == "Page.loadEventFired" for e in self.events):
            self.events.append(self.receive())
        while ready and not self.eval(ready):
            if time.monotonic() > end:
                raise RuntimeError("%s is not ready: %s" % (path, self.complaints()))
            time.sleep(0.02)

    def complaints(self):
        """What scripts threw, and what the console has of errors."""
        texts = []
        for e in self.events:
            p = e.get("params", {})
            if e.get("method") == "Runtime.exceptionThrown":
                d = p["exceptionDetails"]
                texts.append(d.get("exception", {}).get("description") or d["text"])
            elif e.get("method") == "Log.entryAdded" and p["entry"]["level"] == "error":
                texts.append(p["entry"]["text"] + " " + p["entry"].get("url", ""))
        return texts

    def requests(self):
        """Addresses that were asked for, the page's own left out."""
        urls = [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return urls[1:]

    def eval(self, script):
        r = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in r:
            raise RuntimeError(script + ": " + str(r["exceptionDetails"].get("exception", {}).get("description")))
        return r["result"].get("value")

    def box(self, what):
        """Middle, size of what a JavaScript expression gives: an element."""
        return self.eval("(e => { const b = e.getBoundingClientRect(); return {x: b.x + b.width / 2, y: b.y + b.height / 2,"
                         " w: b.width, h: b.height, left: b.x, top: b.y}; })(%s)" % what)

    def move(self, what):
        b = self.box(what)
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=b["x"], y=b["y"])
        return b

    def click(self, what, shift=False):
        b = self.move(what)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=b["x"], y=b["y"], button="left", clickCount=1,
                      modifiers=8 if shift else 0)

    def key(self, key):
        code = KEYS.get(key, ord(key[0].upper()))
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def type(self, text):
        self.send("Input.insertText", text=text)

    def settle(self):
        """Lets timers of the page and the next frame go by."""
        self.eval("new Promise(r => setTimeout(() => requestAnimationFrame(() => r(1)), 30))")

    def screenshot(self, path):
        data = self.send("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))
