"""make fuzz: every target for a while, as many at a time as there are processors.

    python3 testdata/check/fuzz.py TARGETS_FOLDER

What is learnt stays in FUZZ_CORPUS/TARGET (build/fuzz/corpus); a run begins with it, with the seeds in
testdata, and with the corpus beside the repository where there is one. An input that breaks a target
is left, once per place where it breaks, in FUZZ_CORPUS/found; one that breaks where another did is a
failure as well, until the place is mended. Each run adds a line to
FUZZ_CORPUS/ledger.tsv: what it cost (processor time of the target, not time on the wall) and what it
gave; fuzzledger.py adds them up.

    ENGINE      libfuzzer, or afl: AFL++
    TIME        seconds for each target (60)
    T           only targets whose name holds it
    JOBS        targets at a time (as many as there are processors)
    ROUNDS      how often all targets have their turn (1); 0: until somebody stops it
    SEED        where libFuzzer's chance begins (anew each time), so that a run can be had again
"""
import concurrent.futures
import ctypes
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TESTDATA = ROOT / "testdata"
SEEDS = TESTDATA / "fuzz"
SHARED = pathlib.Path(os.environ.get("CORPUS") or ROOT / "../shared/corpus")
CORPUS = pathlib.Path(os.environ.get("FUZZ_CORPUS") or ROOT / "build/fuzz/corpus")
ENGINE = os.environ.get("ENGINE") or "libfuzzer"
SECONDS = int(os.environ.get("TIME") or 60)
# Bytes of an input at most: larger ones take longer and seldom show more.
MAX_LEN = {"trace_v1": 6000, "trace_v2": 6000, "trace_sched": 6000, "profile": 8192, "text": 8192, "symbol": 12000, "store": 600, "web": 2000, "mcp": 2000}
# Those whose inputs reach ten thousand edges: libFuzzer's weighing of how rare each is would take a third
# of the time.
WIDE = {"trace_v1", "trace_v2", "trace_sched", "store"}
MOST_FINDINGS = 20  # of one run, which then ends: whatever is behind them is not reached
HANG = 10  # seconds of processor time
ASAN = "quarantine_size_mb=8:allocator_may_return_null=1:handle_abort=1:detect_stack_use_after_return=0"


def kind(head):
    """Which targets take a file that begins like this."""
    if re.match(rb"go 1\.\d+ trace\0", head):
        return {"trace_v1" if int(head[5:head.index(b" ", 5)]) < 22 else "trace_v2"}
    if head.startswith((b"\x1f\x8b", b"\x28\xb5")):
        return {"profile"}
    if head.startswith(b"\x7fELF") or head[1:4] == b"\xff\xff\xff" or head[:3] == b"\xff\xff\xff":
        return {"symbol"}
    if head.startswith(b"SQLite"):
        return {"store"}
    return {"trace_sched" if b": sched:sched_switch: " in head else "text", "profile"}


def seeds(target, folder):
    """The inputs to begin with, linked into a folder: those of the tree for this target, and whatever
    else is of its kind and not too large."""
    folder.mkdir(parents=True, exist_ok=True)
    own = SEEDS / target
    places = [(own, None), (SEEDS, target), (TESTDATA, target), (TESTDATA / "corpus", target), (SHARED, target)]
    for place, only in places:
        if not place.is_dir():
            continue
        files = place.rglob("*") if place in (SHARED, TESTDATA / "corpus", own) else place.glob("*")
        for f in sorted(files):
            if not f.is_file() or f.suffix in (".c", ".h", ".md", ".json", ".dict", ".txt", ".py"):
                continue
            if only and (f.stat().st_size > MAX_LEN[target] or only not in kind(f.open("rb").read(4096))):
                continue
            link = folder / f"{f.parent.name}-{f.name}"
            if not link.is_symlink():
                link.symlink_to(f)


def where(log):
    """The place that an error report names: what, and the first function of ours on the stack."""
    what = re.search(rb"runtime error: .*|ERROR: (AddressSanitizer|libFuzzer|LeakSanitizer): ?[a-z-]*|\S+:\d+: .* does not hold", log)
    text = what.group(0).decode(errors="replace") if what else "unknown"
    if text.startswith("runtime error"):
        text = re.sub(r"-?\b\d+\b", "N", text)  # what overflows is another number each time
    frames = re.findall(rb"#\d+ 0x[0-9a-f]+ in (\S+) \S*?/((?:libparse|libreport|testdata)/\S+?):(\d+)", log)
    ours = [f"{n.decode()} {p.decode()}:{l.decode()}" for n, p, l in frames if not p.startswith(b"testdata")]
    return f"{text} in {(ours or [f'{n.decode()} {p.decode()}:{l.decode()}' for n, p, l in frames] or ['?'])[0]}"


def spend(process):
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def hangs(binary, unit, env):
    """Does it take its time on an idle machine, too? Processor seconds."""
    p = subprocess.Popen([binary, unit, "-timeout=600"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return spend(p)


def keep(target, unit, log):
    """Keeps an input that broke a target, once for each place. True if it is new. The first of each run
    is said in either case."""
    found = CORPUS / "found"
    found.mkdir(parents=True, exist_ok=True)
    place = where(log)
    name = target + "-" + re.sub(r"[^A-Za-z0-9]+", "-", place)[-90:].strip("-")
    new = not (found / name).exists()
    if new:
        unit.rename(found / name)
        (found / (name + ".log")).write_bytes(log[-20000:])
    else:
        unit.unlink()
    if name not in SAID:
        print(f"FOUND {target}: {place}: {found / name}{'' if new else ', which was there before'}", flush=True)
    SAID.add(name)
    return new


def number(pattern, text):
    m = re.findall(pattern, text)
    return int(m[-1]) if m else 0


class Run:
    """One target for a while. Subclasses know an engine."""

    def __init__(self, binary):
        self.binary, self.target = binary, binary.name
        self.own, self.start = CORPUS / self.target, CORPUS / "seeds" / self.target
        self.work = CORPUS / "work" / f"{self.target}-{os.getpid()}"
        self.words = SEEDS / f"{self.target}.dict"
        self.cpu, self.executions, self.edges, self.new = 0.0, 0, 0, 0
        self.broke = False  # by a new finding, one that was there before, or in another way
        self.env = dict(os.environ, ASAN_OPTIONS=ASAN, UBSAN_OPTIONS="print_stacktrace=1", TMPDIR=str(self.work))

    def call(self, command, log):
        """Runs the engine; its exit status."""
        with log.open("wb") as out:
            p = subprocess.Popen(command, env=self.env, stdout=out, stderr=out, stdin=subprocess.DEVNULL, cwd=self.work)
            PROCESSES.add(p)
            self.cpu += spend(p)
            PROCESSES.discard(p)
        return p.returncode

    def run(self):
        for f in (self.own, self.work):
            f.mkdir(parents=True, exist_ok=True)
        seeds(self.target, self.start)
        self.fuzz(time.monotonic() + SECONDS)
        if not (self.executions or self.broke or STOPPED):
            self.failed(b"it executed nothing", 0)
        if self.executions:
            with (CORPUS / "ledger.tsv").open("a") as ledger:
                print(time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), ENGINE, self.target, f"{self.cpu:.1f}",
                      self.executions, self.edges, self.new, sep="\t", file=ledger)
        print(f"{self.target}: {self.cpu:.0f} s of processor time, {self.executions} executions, {self.edges} edges, "
              f"{self.new} new findings", flush=True)
        shutil.rmtree(self.work, ignore_errors=True)
        return self.broke

    def broken(self, unit, log):
        self.new += keep(self.target, unit, log)
        self.broke = True

    def failed(self, text, status):
        print(f"FAILED {self.target}: status {status}\n{text[-2000:].decode(errors='replace')}", flush=True)
        self.new += 1
        self.broke = True


class LibFuzzer(Run):
    def fuzz(self, end):
        # On a machine that is busy, time on the wall says little: what seems to hang is tried again.
        command = [self.binary, "-timeout=60", "-rss_limit_mb=768", "-malloc_limit_mb=300", "-print_final_stats=1",
                   f"-max_len={MAX_LEN[self.target]}", "-print_funcs=0", f"-artifact_prefix={self.work}/"]
        if self.words.exists():
            command.append(f"-dict={self.words}")
        if self.target in WIDE:
            command.append("-entropic=0")
        if os.environ.get("SEED"):
            command.append(f"-seed={os.environ['SEED']}")
        broken = 0
        while time.monotonic() < end - 1 and broken < MOST_FINDINGS and not STOPPED:
            log = self.work / "log"
            status = self.call([*command, f"-max_total_time={int(end - time.monotonic())}", self.own, self.start], log)
            text = log.read_bytes()
            self.executions += number(rb"stat::number_of_executed_units: (\d+)", text)
            self.edges = max(self.edges, number(rb"cov: (\d+)", text))
            units = [u for u in self.work.glob("*-*") if u.is_file()]
            if status == 0 or STOPPED:
                break
            if not units:
                self.failed(text, status)
                break
            for u in units:
                broken += 1
                if u.name.startswith("slow-unit") or (u.name.startswith("timeout") and
                                                      hangs(self.binary, u, self.env) < HANG):
                    u.unlink()
                else:
                    self.broken(u, text)


def reap(command):
    """Runs a command and waits for whatever it leaves behind. AFL++ kills its target without waiting for
    it, and whom nobody waits for, his processor time nobody is told of."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    p = subprocess.Popen(command)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda n, _: p.send_signal(n))
    status = p.wait()
    for _ in range(100):
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            break
        time.sleep(0.1)
    return status if status >= 0 else 128 - status


class Afl(Run):
    def fuzz(self, end):
        self.env.update(ASAN_OPTIONS=ASAN + ":abort_on_error=1:symbolize=0:detect_leaks=0",
                        UBSAN_OPTIONS="halt_on_error=1:abort_on_error=1:symbolize=0:print_stacktrace=1",
                        AFL_SKIP_CPUFREQ="1", AFL_NO_AFFINITY="1", AFL_NO_UI="1", AFL_FAST_CAL="1",
                        AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES="1")
        mutator = self.binary.parent.parent / "lib" / f"{self.target}_mutator.so"
        if mutator.exists():
            self.env["AFL_CUSTOM_MUTATOR_LIBRARY"] = str(mutator)
        first = self.work / "first"
        first.mkdir()
        for folder in (self.start, self.own):
            for f in folder.iterdir():
                if f.stat().st_size:
                    (first / f.name).write_bytes(f.read_bytes()[:MAX_LEN[self.target]])
        log, out = self.work / "log", self.work / "out"
        command = [sys.executable, str(ROOT / "testdata/check/fuzz.py"), "--reap", "afl-fuzz", "-i", first, "-o", out,
                   "-V", str(SECONDS), "-m", "none", "-t", "20000+", "-G", str(MAX_LEN[self.target]), *(["-x", self.words] if self.words.exists() else []), "--", self.binary]
        status = self.call(command, log)
        stats = out / "default/fuzzer_stats"
        if not stats.exists():
            self.failed(log.read_bytes(), status)
            return
        facts = stats.read_bytes()
        self.executions = number(rb"execs_done +: (\d+)", facts)
        self.edges = number(rb"edges_found +: (\d+)", facts)
        for f in (out / "default/queue").glob("id:*"):
            if "orig:" not in f.name:
                name = hashlib.sha1(f.read_bytes()).hexdigest()
                (self.own / name).write_bytes(f.read_bytes())
        env = dict(self.env, ASAN_OPTIONS=ASAN, UBSAN_OPTIONS="print_stacktrace=1")
        for kind_of in ("crashes", "hangs"):
            for f in sorted((out / "default" / kind_of).glob("id:*"))[:MOST_FINDINGS]:
                if kind_of == "hangs" and hangs(self.binary, f, env) < HANG:
                    continue
                report = subprocess.run([self.binary, f], env=env, capture_output=True, check=False)
                unit = self.work / "unit-0"
                unit.write_bytes(f.read_bytes())
                self.broken(unit, report.stdout + report.stderr)


def run(binary):
    return (Afl if ENGINE == "afl" else LibFuzzer)(binary).run()


PROCESSES = set()
SAID = set()  # what was found in this run
STOPPED = False


def stop(*_):
    global STOPPED
    STOPPED = True
    for p in list(PROCESSES):
        p.send_signal(signal.SIGINT)


def main():
    if sys.argv[1] == "--reap":
        return reap(sys.argv[2:])
    targets = sorted(p for p in pathlib.Path(sys.argv[1]).resolve().iterdir() if os.environ.get("T", "") in p.name)
    strange = [t.name for t in targets if t.name not in MAX_LEN]
    for name in strange:
        print(f"FAILED {name}: add it to MAX_LEN in testdata/check/fuzz.py, or delete the file if there is no such target any more")
    targets = [t for t in targets if t.name in MAX_LEN]
    rounds, passed, failed = int(os.environ.get("ROUNDS") or 1), 0, len(strange)
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    while not STOPPED:
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS") or os.cpu_count() or 1)) as pool:
            for broke in pool.map(lambda t: False if STOPPED else run(t), targets):
                passed, failed = passed + (not broke), failed + broke
        rounds -= 1
        if rounds == 0:
            break
    print(f"fuzz targets: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
