"""The server of tprof-web against browsers' enemies: who may ask, what may be asked, how much, and that
nothing is left when it ends. And that what it answers is what the commands print, byte for byte.

    python3 testdata/check/web.py BIN_FOLDER"""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

BIN = os.path.abspath(sys.argv[1])
# Seconds stand for those of a machine that has nothing else to do.
PATIENCE = max(1, os.getloadavg()[0] / os.cpu_count())
passed = failed = 0


def check(what, good):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {what}")


class Server:
    """A tprof-web that runs, and a browser's cookie for it."""

    def __init__(self, *args):
        self.process = subprocess.Popen([f"{BIN}/tprof-web", "--no-open", *args], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        u = urllib.parse.urlsplit(self.address)
        self.port, self.secret = u.port, u.query
        self.cookie = self.ask("/?" + self.secret, cookie=None)[1].get("Set-Cookie", "").split(";")[0]

    def ask(self, path, method="GET", cookie="", headers=(), body=None):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = dict(headers)
        if cookie is not None:
            sent["Cookie"] = cookie or self.cookie
        c.request(method, path, body=body, headers=sent)
        r = c.getresponse()
        return r.status, r.headers, r.read()

    def run(self, command, *words):
        return self.ask(f"/run/{command}?" + urllib.parse.urlencode([("a", w) for w in words]))

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def end(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(10 * PATIENCE)

    def family(self):
        """Processes below the server's parent, with their memory in KiB."""
        found = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/status") as f:
                    fields = dict(line.split(":", 1) for line in f if ":" in line)
            except OSError:
                continue
            found[int(pid)] = (int(fields["PPid"]), fields["Name"].strip(),
                               int(fields.get("RssAnon", "0").split()[0]))
        below, grown = {self.process.pid}, True
        while grown:
            more = {p for p, (parent, _, _) in found.items() if parent in below} - below
            below |= more
            grown = bool(more)
        return {p: found[p] for p in below - {self.process.pid} if p in found}


def until(seconds, condition):
    end = time.monotonic() + seconds * PATIENCE
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def test_access(s):
    for path in ("/", "/web.js", "/about", "/run/top?a=@", "/lanes/rows?run=1"):
        check(f"{path} without a cookie", s.ask(path, cookie=None)[0] == 403)
        check(f"{path} with a wrong cookie", s.ask(path, cookie=s.cookie[:-1] + "x")[0] == 403)
        check(f"{path} by another name", s.ask(path, headers={"Host": f"evil.example:{s.port}"})[0] == 403)
        check(f"{path} of another origin", s.ask(path, headers={"Origin": "http://evil.example"})[0] == 403)
        check(f"{path} of another port", s.ask(path, headers={"Origin": "http://127.0.0.1:1"})[0] == 403)
        check(f"{path} posted", s.ask(path, method="POST", body=b"x" * 100)[0] == 405)
        check(f"{path}: a body", s.ask(path, body=b"x" * 100000)[0] in (200, 404))
    for path in ("/web.js", "/about", "/run/top?a=@"):
        check(f"{path} from another page", s.ask(path, headers={"Sec-Fetch-Site": "cross-site"})[0] == 403)
        check(f"{path} from another port's page", s.ask(path, headers={"Sec-Fetch-Site": "same-site"})[0] == 403)
    check("a wrong secret", s.ask("/?secret=" + "0" * 32, cookie=None)[0] == 403)
    status, headers, _ = s.ask("/?" + s.secret, cookie=None)
    check("the secret leads on", status == 303 and headers["Location"] == "/")
    check("the cookie is strict", re.search(r"HttpOnly; SameSite=Strict", headers["Set-Cookie"]))
    status, headers, _ = s.ask("/?" + s.secret, cookie=None, headers={"Sec-Fetch-Site": "cross-site"})
    check("the secret in a link", status == 200 and headers["Refresh"] == "0; url=/")
    status, headers, body = s.ask("/")
    check("the page", status == 200 and body.startswith(b"<!DOCTYPE html>"))
    check("its policy", "default-src 'none'" in headers["Content-Security-Policy"])
    check("no types are guessed", headers["X-Content-Type-Options"] == "nosniff")
    check("HEAD", s.ask("/", method="HEAD")[::2] == (200, b""))


def test_addresses(s):
    for path in ("/../../../etc/passwd", "/..%2f..%2fetc/passwd", "/page/web.css", "/%2e%2e/web.css", "//etc/passwd",
                 "/run/../about", "/run/", "/run/import?a=@", "/lanes/", "/web.css%00", "/nothing.js", "*", "about"):
        check(f"no page {path}", s.ask(path)[0] in (400, 404))
    check("a broken escape", s.ask("/run/top?a=%")[0] == 400)
    check("a zero byte", s.ask("/run/top?a=@%00")[0] == 400)
    check("too many words", s.ask("/run/top?" + "&".join(["a=--cum"] * 200))[0] == 400)
    with s.connect() as c:
        c.sendall(b"GET /" + b"x" * 100000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        check("a long address", re.match(rb"HTTP/1.1 4\d\d|$", c.recv(100)))
    with s.connect() as c:
        c.sendall(b"GET / HTTP/1.1\r\n" + b"X: %s\r\n" % (b"y" * 1000) * 200 + b"\r\n")
        check("many headers", re.match(rb"HTTP/1.1 4\d\d|$", c.recv(100)))
    for noise in (b"\0" * 1000, b"\x16\x03\x01\x02", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 1000):
        with s.connect() as c:
            c.sendall(noise)
            c.shutdown(socket.SHUT_WR)
            while c.recv(1000):
                pass
    check("it still answers", s.ask("/about")[0] == 200)


def test_refused(s):
    for command, words in (("top", ["--output=x", "@"]), ("top", ["--base=/etc/passwd", "@"]),
                           ("top", ["--disasm=x", "@"]), ("top", ["--source-path=/", "@"]),
                           ("top", ["@", "/etc/passwd"]), ("top", ["--", "@"]), ("top", []),
                           ("flame", ["-o", "x", "@"]), ("path", ["--output=x", "@"]),
                           ("leaks", ["--allow=/etc/passwd", "@"]), ("query", ["--write", "@", "DELETE FROM run"]),
                           ("query", ["-f", "/etc/passwd", "@"]), ("store", ["delete", "@", "1"]),
                           ("store", ["compact", "@"]), ("diff", ["@1", "@2", "@1"])):
        status, _, body = s.run(command, *words)
        check(f"{command} {words} is refused: {status}", status == 400 and body.endswith(b"\n"))
    status, headers, body = s.run("query", "@", "SELECT nothing")
    check("a command's message", status == 422 and body.startswith(b"tprof-query: ") and
          headers["Content-Type"].startswith("text/plain"))
    check("SQL that writes", s.run("query", "@", "DELETE FROM run")[0] == 422)
    check("a run that is not there", s.run("top", "@99")[0] == 422)


def line(store, command, words):
    """The command line that words stand for."""
    runs, out = [w for w in words if re.fullmatch(r"@\d+", w)], []
    for w in words:
        if w in runs:
            name = "run" if len(runs) < 2 else "base-label" if w is runs[0] else "label"
            out.append(f"--{name}={w[1:]}")
        if not w.startswith("@"):
            out.append(w)
        elif w not in runs or w is runs[-1]:
            out.append(store)
    return [f"{BIN}/tprof-{command}", *out]


def test_commands(s, store):
    for command, words in [("top", ["@1"]), ("top", ["--json-head", "@1", "block"]), ("top", ["--over=run", "@"]),
                           ("top", ["--from=1ms", "--to=90%", "-n0", "--format=csv", "@1", "goroutines"]),
                           ("top", ["--view=wall", "--peek=^main", "@1"]), ("path", ["--json-head", "@1", "requests"]),
                           ("path", ["--slowest", "@1"]), ("diff", ["--json-head", "@1", "@2"]),
                           ("diff", ["--base-label=1", "--label=2", "@"]), ("leaks", ["--json-head", "--run=all", "@"]),
                           ("flame", ["--view=wall", "@1"]), ("flame", ["--format=folded", "--view=wall", "@1", "@2"]),
                           ("query", ["--json-head", "@", "SELECT * FROM run"]), ("query", ["@", ".schema"]),
                           ("store", ["list", "@"]), ("store", ["--json-head", "show", "@"])]:
        own = subprocess.run(line(store, command, words), capture_output=True)
        status, headers, body = s.run(command, *words)
        check(f"{command} {words} equals the command: {status}", status == 200 and own.returncode == 0 and body == own.stdout)
        kind = headers["Content-Type"].split(";")[0]
        if kind == "application/json":
            json.loads(body)
        check(f"{command} {words}: its type", kind == {b"{": "application/json", b"<": "image/svg+xml"}.get(body[:1], "text/plain"))


def options_of(command):
    """Long options of --help=all with whether they take a value, and the words of its reports."""
    text = subprocess.run([f"{BIN}/tprof-{command}", "--help=all"], capture_output=True, text=True).stdout
    return {m[1]: m[2] for m in re.finditer(r"^ {2,6}(?:-., )?--([a-z-]+)(\[?=?)", text, re.M)}, \
        set(re.findall(r"^  ([a-z-]+)  +[a-z]", text, re.M))


def test_table(source):
    """The table of allowed.c has only options that there are."""
    macros = {m[1]: "".join(re.findall(r'"([^"]*)"', m[2])) for m in
              re.finditer(r"#define (\w+)[ \t\\\n]+((?:\"[^\"]*\"[ \t\\\n]*)+)", source)}
    for m in re.finditer(r'\.name = "(\w+)",\s*\.options =((?:\s*(?:"[^"]*"|\w+))+),\s*(?:\.words = ((?:\s*"[^"]*")+))?', source):
        there, reports = options_of(m[1])
        listed = "".join(t[1:-1] if t[0] == '"' else macros[t] for t in re.findall(r'"[^"]*"|\w+', m[2])).split()
        for option in listed:
            name, value = re.fullmatch(r"([a-z-]+)(=|\[=\])?", option).groups()
            check(f"tprof-{m[1]} takes --{option}", name in there and there[name] == {None: "", "=": "=", "[=]": "[="}[value])
        check(f"tprof-{m[1]}: options once", len(listed) == len(set(listed)))
        words = set("".join(re.findall(r'"([^"]*)"', m[3] or "")).split())
        if words:
            check(f"tprof-{m[1]}: its reports {words ^ reports}", words == reports)


def test_crowd(s):
    """Slow senders, many at once, and readers that leave."""
    idle = []
    for _ in range(100):
        idle.append(s.connect())
        idle[-1].sendall(b"GET / HTTP/1.1\r\nHo")
    begin = time.monotonic()
    check("slow senders keep nobody waiting", s.ask("/about")[0] == 200 and time.monotonic() - begin < PATIENCE)
    many, answers = [], []
    for _ in range(200):
        c = s.connect()
        c.sendall(f"GET /about HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {s.cookie}\r\nConnection: close\r\n\r\n".encode())
        many.append(c)
    for c in many:
        try:
            answers.append(c.recv(20).startswith(b"HTTP/1.1 200"))
        except OSError:
            answers.append(False)
        c.close()
    check(f"200 at once: {sum(answers)} are answered", sum(answers) >= 30)
    for c in idle:
        c.close()
    check("it answers afterwards", until(5, lambda: s.ask("/about")[0] == 200))

    threads = [threading.Thread(target=lambda: answers.append(s.run("top", "--json-head", "@1", "overview")[0]))
               for _ in range(24)]
    answers.clear()
    for t in threads:
        t.start()
    most = 0
    while any(t.is_alive() for t in threads):
        most = max(most, sum(name.startswith("tprof-top") for _, name, _ in s.family().values()))
        time.sleep(0.01)
    check(f"24 commands at once: {answers}", answers == [200] * 24)
    check(f"{most} of them at a time", most <= 4)


LONG = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


def test_turns(s):
    """Long requests let others in, which may close their run: the answer is the same as alone, or says so."""
    window = "from=0&cols=700&step=1000000&rows=60"
    asked = [f"/lanes/cells?run={run}&kind=goroutines&{window}{more}" for run in (1, 2) for more in ("", "&goroutine=1")]
    asked += [f"/lanes/find?run={run}&kind={kind}&{window}&text=no+such+text" for run in (1, 2) for kind in ("groups", "goroutines")]
    alone, answers = [s.ask(path)[::2] for path in asked], []

    def work(i):
        for k in range(12):
            at = (i + k) % len(asked)
            status, _, body = s.ask(asked[at])
            answers.append(alone[at] if status == 409 and b"closed" in body else (status, body))
            wrong.extend([] if answers[-1] == alone[at] else [asked[at], status, body[:80]])

    wrong = []
    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(asked))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check(f"pictures and searches in turns: {[status for status, _ in alone]}, {wrong[:3]}", [status for status, _ in alone] == [200] * 4 + [404] * 4 and not wrong)
    check("all are answered", len(answers) == 12 * len(asked))
    eight = [f"/lanes/cells?run=1&kind=goroutines&{window}&goroutine={g}" for g in range(1, 9)]
    answers.clear()
    threads = [threading.Thread(target=lambda path=path: answers.append(s.ask(path)[0])) for path in eight * 3]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check(f"as many runs as the timeline shows stay open: {answers}", answers == [200] * 24)


def test_leaving(s):
    def runs():
        return any(name.startswith("tprof-query") for _, name, _ in s.family().values())

    for _ in range(3):
        waiting = [s.connect() for _ in range(8)]
        for c in waiting:
            c.sendall(f"GET /run/query?{urllib.parse.urlencode([('a', '@'), ('a', LONG)])} HTTP/1.1\r\n"
                      f"Host: 127.0.0.1\r\nCookie: {s.cookie}\r\n\r\n".encode())
        check("a long command runs", until(5, runs))
        for c in waiting:
            c.close()
        check("a reader leaves, and the command ends within a second", until(1, lambda: not runs()))
    check("commands run afterwards", s.run("query", "@", "SELECT 1")[0] == 200)


def test_ending(s):
    c = s.connect()
    c.sendall(f"GET /run/query?{urllib.parse.urlencode([('a', '@'), ('a', LONG)])} HTTP/1.1\r\n"
              f"Host: 127.0.0.1\r\nCookie: {s.cookie}\r\n\r\n".encode())
    until(5, lambda: len(s.family()) > 1)
    family = s.family()
    server = max(rss for _, name, rss in family.values() if name == "tprof-web")
    check(f"the server has {server >> 10} MiB", server < 64 << 10)
    begin = time.monotonic()
    check("^C ends it well", s.end() == 0 and time.monotonic() - begin < PATIENCE)
    check("no process is left", until(1, lambda: not any(os.path.exists(f"/proc/{p}") for p in family)))
    c.close()


def main():
    with tempfile.TemporaryDirectory() as tmp:
        os.environ.update(XDG_CACHE_HOME=tmp, TMPDIR=tmp)
        os.environ.pop("SSH_CONNECTION", None)
        dumps = ["testdata/checkout.trace", "testdata/pool.trace"]
        store = f"{tmp}/two.tprof"
        subprocess.run([f"{BIN}/tprof-import", "-o", store, *dumps], check=True, stdout=subprocess.DEVNULL)
        with open("cmd/common/allowed.c") as f:
            test_table(f.read())
        s = Server(store)
        for test in (test_access, test_addresses, test_refused, test_crowd, test_turns, test_leaving):
            test(s)
        os.utime(store, (1, 1))
        test_commands(s, store)
        check("a store stays as it is", os.stat(store).st_mtime == 1)
        status, _, body = s.ask("/lanes/cells?run=1&rows=400&cols=8192&unfold=" + ",".join(map(str, range(1000))))
        rows = len(json.loads(body[4:4 + int.from_bytes(body[:4], "little")])["rows"])
        check(f"a picture is bounded: {rows} rows", status == 200 and rows <= 128)
        check("counters after a wrong selection", [s.ask("/lanes/tracks?cols=100&step=1000" + more)[0] for more in ("&goroutine=[", "")] == [400, 200])
        test_ending(s)
        s = Server(*dumps)
        about = json.loads(s.ask("/about")[2])
        check("dumps have names", about | {"tprof": 0, "runs": 0} == {"tprof": 0, "runs": 0, "file": "runs.tprof", "dump": False, "dumps": dumps, "one_each": True})
        check("dumps are runs", s.ask("/about")[0] == 200 and len(json.loads(s.run("store", "--format=json", "list", "@")[2])) == 2)
        s.process.send_signal(signal.SIGKILL)
        family = s.family()
        s.process.wait()
        check("no process survives its parent", until(2, lambda: not any(os.path.exists(f"/proc/{p}") for p in family)))
        s = Server(*dumps)
        check("it ends", s.end() == 0)
        check("nothing is left", not [n for n in os.listdir(tmp) if n.startswith("tprof-scratch")])
        s = Server(dumps[0])
        status, _, body = s.run("top", "@9")
        check(f"a message names the dump: {body}", status == 422 and b"testdata/checkout.trace" in body and tmp.encode() not in body)
        check("a dump", json.loads(s.ask("/about")[2]) | {"tprof": 0, "runs": 0} == {"tprof": 0, "runs": 0, "file": dumps[0], "dump": True, "dumps": [], "one_each": False})
        s.end()
    print(f"web: {passed} passed, {failed} failed")
    sys.exit(failed != 0)


main()
