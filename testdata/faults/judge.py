"""Whether what a command did under a fault is what it may do.

A command either fails with one sentence, or has done all that it was asked for. Every file is as
before or complete; stores are compared by their rows, and must pass PRAGMA integrity_check."""
import errno
import os
import re
import sqlite3

MAGIC = b"SQLite format 3\0"
# What an error is called: one of these must be in the sentence.
WORDS = {
    errno.ENOMEM: r"memory|no thread",  # threads that there is no memory for: EAGAIN
    errno.EAGAIN: r"memory|temporarily unavailable|thread|process",
    errno.ENOSPC: r"no space|disk full|is full",
    errno.EIO: r"input/output error|i/o error",
    errno.EMFILE: r"too many open files",
    errno.ENOLCK: r"lock|another program",
    errno.EINTR: r"interrupted|cannot",
}


def rows(path):
    """All that a store holds, without what differs from import to import; raises sqlite3.Error."""
    # For writing: what a writer that was killed left behind is rolled back.
    db = sqlite3.connect(path, isolation_level=None)
    try:
        found = db.execute("PRAGMA integrity_check").fetchall()
        if found != [("ok",)]:
            raise sqlite3.DatabaseError("integrity_check: %s" % found[0])
        out = [db.execute("PRAGMA application_id").fetchone(),
               db.execute("PRAGMA user_version").fetchone()]
        tables = [r[0] for r in db.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
            "ORDER BY name")]
        for t in tables:
            columns = [c[1] for c in db.execute(f'PRAGMA table_info("{t}")')
                       if c[1] != "imported_ns"]
            wanted = ", ".join(f'"{c}"' for c in columns)
            all_of_it = db.execute(f'SELECT {wanted} FROM "{t}"').fetchall()
            out.append((t, sorted(re.sub(r"stdin\.part-\w{12}", "stdin", repr(r)) for r in all_of_it)))
        return out
    finally:
        db.close()


def content(path, data=None):
    """What a file says: for stores their rows, for all others their bytes."""
    if data is None:
        with open(path, "rb") as f:
            data = f.read()
    if data.startswith(MAGIC):
        return rows(path)
    return data


def is_cached(name):
    return name.startswith("cache/")


def is_lasting(name):
    """Files that may stay and say nothing: the locks of the cache, and its key."""
    return re.match(r"cache/tprof/(lock-[0-9a-fk]|key)$", name)


class Expected:
    """The two states that there are, by file: before the command and after it."""

    def __init__(self, folder, result):
        self.before = folder.before()
        self.after = dict(self.before)
        self.status = result.status
        self.stdout = plain(result.stdout)
        self.changes = []
        for name in folder.changed():
            path = os.path.join(folder.path, name)
            if is_lasting(name):
                continue
            self.changes.append(name)
            if os.path.exists(path):
                self.after[name] = content(path)
            else:
                self.after.pop(name, None)


def plain(text):
    """Without what differs from run to run: how long it took, by how much a store grew."""
    text = re.sub(rb" to \S+ in ", b" to SIZE in ", text)
    text = re.sub(rb"( into \S+)( of \S+)?", rb"\1", text)
    return re.sub(rb"\d+(\.\d+)?(ns|us|\xc2\xb5s|ms|s)\b", b"TIME", text)


def files(folder, expected, done, several):
    """Objections to what lies in the folder, and the names of temporary files."""
    wrong, temporary = [], []
    for name in sorted(set(folder.changed()) | set(expected.changes)):
        path = os.path.join(folder.path, name)
        there = os.path.exists(path)
        if is_lasting(name):
            continue
        if name not in expected.before and name not in expected.after:
            temporary.append(name)
            continue
        if done and is_cached(name) and not there:
            continue
        if not there:
            ok = name not in (expected.after if done else expected.before) or \
                (not done and name not in expected.after)
            if not ok:
                wrong.append(f"{name} is gone")
            continue
        try:
            with open(path, "rb") as f:
                data = f.read()
            if not done and expected.before.get(name) == data:
                continue
            now = content(path, data)
            before = expected.before.get(name)
            if several and not done and name in expected.after:
                continue  # some of the dumps are in it
            if now == expected.after.get(name):
                continue
            # A store may have other bytes and the same rows.
            if not done and before is not None and data.startswith(MAGIC):
                old = os.path.join(os.path.dirname(folder.path), "before.store")
                with open(old, "wb") as f:
                    f.write(before)
                if rows(old) == now:
                    continue
            wrong.append(f"{name} is " + ("not complete, though the command says it is" if done
                                          else "neither as before nor complete"))
        except (sqlite3.Error, OSError) as e:
            wrong.append(f"{name}: {e}")
    return wrong, temporary


def sentence(scene, result, error):
    """Objections to what the command says."""
    program = scene.program
    lines = [l for l in result.stderr.split("\n") if l]
    said = [l for l in lines if not l.startswith((f"{program}: note: ", f"{program}: warning: "))]
    wrong = []
    if result.status == 0:
        if said:
            wrong.append("it says %r, and succeeds" % said[0])
        return wrong
    if not said:
        return ["it fails and says nothing"]
    if len(said) > scene.sentences:
        wrong.append("it says %d things: %r" % (len(said), said[:3]))
    if not said[0].startswith(program + ": ") or not re.search(r"\w{3}", said[0][len(program) + 1:]):
        wrong.append("%r is no sentence of its own" % said[0])
    if not said[-1].isprintable():
        wrong.append("%r is not printable" % said[-1])
    if re.search("opened for reading only|could not be opened|replaced or moved meanwhile", result.stderr):
        return wrong  # SQLite keeps the cause to itself
    if error in WORDS and not re.search(WORDS[error], result.stderr, re.I):
        wrong.append("%r does not name the cause (%s)" % (said[0], errno.errorcode[error]))
    return wrong


def judge(scene, folder, expected, result, fault, must_succeed):
    """All that is wrong with a run, as a list of sentences; and the temporary files it left."""
    wrong, error = [], fault[2]
    if result.timed_out:
        return ["it hangs"], []
    if result.signal:
        return ["it dies of signal %d" % result.signal], []
    if re.search(r"(Address|Leak|Undefined|Thread)\w*Sanitizer|runtime error:", result.stderr):
        return ["the sanitizer says: " + sanitizer(result.stderr)], []
    if result.left:
        wrong.append("a process of it stays behind")
    done = result.status == expected.status
    if not done and result.status not in (3, 4):
        wrong.append("its exit status is %d" % result.status)
    if not done and result.status == 3 and error in (errno.ENOMEM, errno.ENOSPC, errno.EMFILE):
        wrong.append("its exit status is 3, as if the input were bad")
    # stdio does not repeat what was interrupted.
    if not done and must_succeed and not re.search("cannot (be )?writ", result.stderr):
        wrong.append("it gives up: " + result.stderr.strip())
    wrong += sentence(scene, result, error) if not (done and expected.status) else []
    if done and plain(result.stdout) != expected.stdout:
        wrong.append("it succeeds, and its output is another one")
    bad, temporary = files(folder, expected, done, scene.several)
    wrong += bad
    if result.leaked and "/dev/null" not in result.note:  # which holds the place of a stream
        wrong.append("a descriptor: " + result.note)
    elif result.note and not result.leaked:
        wrong.append(result.note)
    # What cannot be removed, or not now, is for the next run.
    if temporary and fault[0] not in ("unlink", "lock", "stat", "other", "close") and not fault[3]:
        wrong.append("it leaves " + ", ".join(re.sub(r"[0-9a-f]{12}|\w{6}$", "X", t)
                                              for t in temporary))
    return wrong, temporary


def sanitizer(text):
    lines = text.split("\n")
    line = next((l for l in lines if "ERROR: " in l or "runtime error:" in l), None) or \
        next((l for l in lines if "Sanitizer" in l), "")
    frames = re.findall(r"#\d+ 0x[0-9a-f]+ in (\S+) (/\S*?/)?((?:lib|cmd)\S+)", text)
    return re.sub(r"==\d+==|0x[0-9a-f]+", "", line).strip() + " in " + \
        " < ".join("%s %s" % (f, at) for f, _, at in frames[:4])
