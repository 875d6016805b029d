#!/usr/bin/env python3
"""speedscope's files: tprof-export beside speedscope's own code.

    python3 testdata/check/speedscope.py BIN_FOLDER [SEED]

The classes that speedscope builds profiles with (src/lib/profile.ts) are taken from the npm package
@elg/speedscope, a fork that exports them; they get what speedscope's importer (src/lib/file-format.ts) gives
them. Total and self value of every stack have to be the same, of the samples in testdata, of files made at
random, and of what tprof-export writes of other profiles. What speedscope refuses has to be a loss. Ends with
77 where node or npm is missing or the packages cannot be had. SPEEDSCOPE=FOLDER has them in its node_modules:
that one, and esbuild, which makes a script of it.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction

PACKAGES = ("@elg/speedscope@1.9.0-c46bbab", "esbuild@0.25")
SCALE = {"nanoseconds": 1, "microseconds": 1000, "milliseconds": 10**6, "seconds": 10**9, "bytes": 1, "none": 1}
SCHEMA = "https://www.speedscope.app/file-format-schema.json"
THEIRS = """
const {CallTreeProfileBuilder, StackListProfileBuilder} = require('@elg/speedscope/dist/library/lib/profile')
const file = JSON.parse(require('fs').readFileSync(process.argv[2], 'utf8'))
const frames = file.shared.frames.map((f, i) => ({key: i, ...f}))
const out = []
try {
	for (const p of file.profiles) {
		let b
		if (p.type === 'evented') {
			b = new CallTreeProfileBuilder(p.endValue - p.startValue)
			for (const e of p.events)
				(e.type === 'O' ? b.enterFrame : b.leaveFrame).call(b, frames[e.frame], e.at - p.startValue)
		} else {
			b = new StackListProfileBuilder(p.endValue - p.startValue)
			if (p.samples.length !== p.weights.length) throw new Error('lengths')
			p.samples.forEach((s, i) => b.appendSampleWithWeight(s.map(n => frames[n]), p.weights[i]))
		}
		const profile = b.build(), stacks = {}, todo = [[profile.getGroupedCalltreeRoot(), []]]
		while (todo.length) {
			const [node, path] = todo.pop()
			for (const c of node.children) todo.push([c, [...path, c.frame.name]])
			if (node.getSelfWeight() && path.length) stacks[path.join(';')] = (stacks[path.join(';')] || 0) + node.getSelfWeight()
		}
		out.push({unit: p.unit, stacks})
	}
	console.log(JSON.stringify(out))
} catch (e) {
	console.log(JSON.stringify({refused: String(e)}))
}
"""


def theirs(folder, path):
    """Value by kind of unit and stack, rounded; None if speedscope refuses the file."""
    said = json.loads(subprocess.run(["node", os.path.join(folder, "theirs.js"), path], stdout=subprocess.PIPE, text=True, check=True).stdout)
    if isinstance(said, dict):
        return None
    sums = {}
    for p in said:
        kind = {"bytes": "space", "none": "samples"}.get(p["unit"], "time")
        for stack, value in p["stacks"].items():
            sums[kind, stack] = sums.get((kind, stack), 0) + value * SCALE[p["unit"]]
    return sums


def ours(export, path):
    """The same, and what was said of it."""
    sums, said = {}, ""
    for kind in ("time", "space", "samples"):
        run = subprocess.run([export, "--format=folded", "--sample-index=" + kind, path], capture_output=True, text=True, check=False)
        if run.returncode and "sample type" in run.stderr:
            continue
        said += run.stderr
        for line in run.stdout.splitlines():
            stack, value = line.rsplit(" ", 1)
            if stack != "(no stack)":
                sums[kind, stack] = sums.get((kind, stack), 0) + int(value)
    raw = subprocess.run([export.replace("tprof-export", "tprof-top"), "--raw", path], capture_output=True, text=True, check=False).stdout
    if "samples/millionths" in raw:
        sums = {k: v / 1e6 if k[0] == "samples" else v for k, v in sums.items()}
    return sums, said


def additions(path):
    """How often a value that we have to round is added to each stack, by kind of unit and stack."""
    with open(path, encoding="utf-8") as f:
        file = json.load(f, parse_float=Fraction)
    names = [f["name"] for f in file["shared"]["frames"]]
    times = {}
    for p in file["profiles"]:
        unit = p["unit"]
        kind = {"bytes": "space", "none": "samples"}.get(unit, "time")
        digits = 10**6 if unit == "none" else SCALE[unit]

        def add(stack, *values):
            key = kind, ";".join(names[i] for i in stack)
            times[key] = times.get(key, 0) + sum(Fraction(v) * digits % 1 != 0 for v in values)

        if p["type"] == "sampled":
            for stack, weight in zip(p["samples"], p["weights"]):
                add(stack, weight)
            continue
        stack, last = [], 0
        for e in p["events"]:
            add(stack, last, e["at"])  # a time is the difference of two
            last = e["at"]
            if e["type"] == "O":
                stack.append(e["frame"])
            else:
                stack.pop()
    return times


def events(rng, n, unit):
    stack, at, out = [], 0, []
    step = (lambda: rng.randrange(5)) if rng.random() < 0.5 or unit in ("none", "bytes") else (lambda: rng.random() * 5)
    while len(out) < n or stack:
        at += step()
        if stack and (len(out) >= n or rng.random() < 0.5):
            out.append({"type": "C", "frame": stack.pop(), "at": at})
        else:
            stack.append(rng.randrange(6))
            out.append({"frame": stack[-1], "at": at, "type": "O"})
    return out, at


def made(rng, broken):
    """A file of several profiles; with `broken`, one that speedscope refuses."""
    profiles = []
    for i in range(rng.randrange(1, 4)):
        unit = rng.choice(list(SCALE))
        if rng.random() < 0.5 or (broken and not i):
            out, end = events(rng, rng.randrange(30), unit)
            if broken and not i:
                out += [{"type": "O", "frame": 0, "at": end}, {"type": "C", "frame": 1, "at": end + 1}]
            profiles.append({"type": "evented", "name": f"thread {i}", "unit": unit, "startValue": 0, "endValue": end, "events": out})
        else:
            n = rng.randrange(30)
            weights = [rng.choice([0, 1, 7, 0.25 if unit != "bytes" else 3, 10**9]) for _ in range(n)]
            profiles.append({"samples": [[rng.randrange(6) for _ in range(rng.randrange(9))] for _ in range(n)], "weights": weights,
                             "type": "sampled", "name": f"thread {i}", "unit": unit, "startValue": 0, "endValue": sum(weights)})
    frames = [{"name": f"f{i}", "file": "a.c", "line": i} for i in range(6)]
    parts = [("$schema", SCHEMA), ("shared", {"frames": frames}), ("profiles", profiles), ("name", "x")]
    rng.shuffle(parts)
    return json.dumps(dict(parts), indent=rng.choice([None, 1]))


def main():
    export, seed = sys.argv[1] + "/tprof-export", int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rng = random.Random(seed)
    if not shutil.which("node") or not shutil.which("npm"):
        print("speedscope: node or npm is missing, nothing compared")
        return 77
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        modules = os.environ.get("SPEEDSCOPE", folder)
        if modules == folder and subprocess.run(
                ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, *PACKAGES],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
            print("speedscope: npm cannot install " + " and ".join(PACKAGES) + ", nothing compared")
            return 77
        subprocess.run([modules + "/node_modules/.bin/esbuild", "--bundle", "--platform=node", "--log-level=error",
                        "--outfile=" + os.path.join(folder, "theirs.js")],
                       input=THEIRS, text=True, cwd=modules, check=True)
        files = [("testdata/speedscope/" + n, False) for n in ("evented.json", "threads.json")]
        for name, more in (("testdata/catalog.cpu", []), ("testdata/catalog.heap", ["-alloc_space"]), ("testdata/checkout.trace", ["--view=wall"])):
            path = os.path.join(folder, os.path.basename(name) + ".json")
            subprocess.run([export, "--format=speedscope", "-o", path, *more, name], check=True, stderr=subprocess.DEVNULL)
            files.append((path, False))
        for i in range(60):
            path = os.path.join(folder, f"made-{i}.json")
            with open(path, "w", encoding="utf-8") as f:
                f.write(made(rng, i % 6 == 5))
            files.append((path, i % 6 == 5))
        for path, broken in files:
            want, (got, said) = theirs(folder, path), ours(export, path)
            if want is None or broken:
                wrong = [] if want is None and broken and ("is damaged" in said or "can be read" in said) else ["refused: " + said]
            else:
                # A value that is not whole in our unit is rounded, by half a unit; and each of their sums by 1e-16.
                rounded, size = additions(path), {"samples": 1e-6}
                wrong = [f"{k}: {want.get(k, 0)} there, {got.get(k, 0)} here" for k in want.keys() | got.keys()
                         if abs(want.get(k, 0) - got.get(k, 0)) > rounded.get(k, 0) * size.get(k[0], 1) / 2 + 1e-14 * sum(v for (kind, _), v in want.items() if kind == k[0])]
                if "is damaged" in said:
                    wrong.append(said)
            if wrong:
                print(f"FAILED {path} (SEED={seed}): " + "; ".join(wrong[:3]))
                failed += 1
            else:
                passed += 1
    print(f"speedscope: {passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
