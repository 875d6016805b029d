"""tprof-record under faults: it copies, checks and converts what a program left.

The program (recorded.c) is to be none the worse for it: it runs to its end, or not at all. Its exit
status is the recorder's, so files that could not be written show in what is said of them."""
import os
import re
import subprocess

import judge
from scenes import Scene

PROFILES = ("heap", "block", "mutex", "threadcreate", "goroutine", "goroutineleak")
# Before the program runs, a command that fails; 126 and 127 as a shell has them.
NOT_RUN = (3, 4, 126, 127)
# What is said of records that did not get as far as the trace.
LOSSES = r"^(lost|left out|not recorded): |nothing was recorded|was not looked at|cannot be looked at"


class Recording(Scene):
    most = 40
    varies = True
    unending = ("read",)  # signals and bells that are never heard

    def __init__(self, name, command, expected, tools):
        super().__init__(name, command)
        self.expected_files, self.tools, self.sentences = set(expected), tools, 20

    def prepare(self, binaries, work, env):
        self.binaries, self.env = binaries, env
        super().prepare(binaries, work, env)

    def judge(self, folder, expected, result, fault, must_succeed):
        wrong, error = [], fault[2]
        if result.timed_out:
            return ["it hangs"], []
        if result.signal:
            return ["it dies of signal %d" % result.signal], []
        if "Sanitizer" in result.stderr or "runtime error:" in result.stderr:
            return ["the sanitizer says: " + judge.sanitizer(result.stderr)], []
        if result.left:
            wrong.append("a process of it stays behind")
        if result.leaked or result.note:
            wrong.append("a descriptor: " + result.note if result.leaked else result.note)
        ran = result.stdout == b"done\n"
        lines = [l for l in result.stderr.split("\n") if l]
        said = [l for l in lines if l.startswith("tprof-record: ") and
                not re.match(r"tprof-record: (recorded: |note: )", l)]
        if not all(l.isprintable() for l in lines):
            wrong.append("%r is not printable" % result.stderr)
        if error in judge.WORDS and said and not re.search(judge.WORDS[error], "\n".join(said), re.I) and \
                not re.search("did not report|could be taken away", result.stderr):
            wrong.append("%r does not name the cause" % said[0])
        if not ran:
            if result.stdout:
                wrong.append("the program ends in the middle")
            if result.status not in NOT_RUN:
                wrong.append("the program does not run, and the status is %d" % result.status)
            if len(said) != 1:
                wrong.append("the program does not run, and %d sentences say why" % len(said))
            if must_succeed:
                wrong.append("it gives up: " + "; ".join(said))
        elif result.status:
            wrong.append("the program's exit status becomes %d" % result.status)
        bad, temporary = self.look(folder, result, ran, said)
        # What cannot be removed is for the next run.
        if temporary and fault[0] not in ("unlink", "other", "stat", "open") and not fault[3]:
            wrong.append("it leaves " + ", ".join(re.sub(r"\d+$", "N", t) for t in temporary))
        return wrong + bad, temporary

    def look(self, folder, result, ran, said):
        """Each file is complete, or is not there and something is said."""
        wrong, temporary, whole = [], [], []
        there = {n for n in folder.changed() if os.path.exists(os.path.join(folder.path, n))}
        for name in sorted(there):
            base = os.path.basename(name)
            if base in self.expected_files and name.startswith("rec/"):
                whole.append(name)
            else:
                temporary.append(name)
        if not ran and whole:
            wrong.append("the program does not run, and there is %s" % whole[0])
        missing = self.expected_files - {os.path.basename(n) for n in whole}
        if ran and missing and not said and not re.search(LOSSES, result.stderr, re.M):
            wrong.append("%s is missing, and nothing is said" % ", ".join(sorted(missing)))
        dumps = [n for n in whole if not n.endswith(".symbols")]
        if dumps:
            # In a folder of its own: what it makes is none of the recorder's.
            store = os.path.join(os.path.dirname(folder.path), "read.store")
            read = subprocess.run([os.path.join(self.binaries, "tprof-import"), "--strict", "-o", store, *dumps],
                                  cwd=folder.path, env=self.env, capture_output=True, text=True, timeout=600)
            if os.path.exists(store):
                os.unlink(store)
            if read.returncode:
                wrong.append("what it leaves cannot be read: " +
                             re.sub(r"offset \d+|\d+ events", "N", read.stderr.strip().split("\n")[0]))
        return wrong, temporary


def scenes(tools):
    program = os.path.join(tools, "recorded")
    proto = [p + ".pb.gz" for p in PROFILES]
    yield Recording("record", f"tprof-record --all --heap=1 -o rec -- {program}", [*proto, "trace.out"], tools)
    yield Recording("record-text", "tprof-record --all --heap=1 --trace-format=1.5 --profile-format=text -o rec -- " +
                    program, [*(p + ".txt" for p in PROFILES), "trace.out", "trace.out.symbols"], tools)
    yield Recording("record-alive", "tprof-record --all --for=60ms -o rec -- " + program + " 120", [*proto, "trace.out"], tools)
