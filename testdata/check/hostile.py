"""Dumps whose every name is hostile: what steers terminals, ends quotes and tags, is a formula.

Traces are those of testdata with the bytes of their strings replaced, length by length; profiles are
written from scratch."""
import gzip
import os
import re

# Each is one attack, so that a name cut short still holds one.
ATTACKS = [
    b"\x1b]0;PWNED\x07", b"\x1b[31mRED\x1b[2J", b"\x9b31mC1", b"\xc2\x9b31mC1", b"a\nb\rc", b"\x08\x08\x7fdel",
    b"\xe2\x80\xae txt.exe \xe2\x81\xa6", b"<script>alert(1)</script>", b"=cmd|'/C calc'!A0", b"]]><x-b>",
    b"\"'><img src=x onerror=a>", b"</title></style>", b"&lt;&#60;", b"a\x00b", b"\xff\xfe\xc0\x80\xed\xa0\x80",
    b"\\\";alert(1)//", b"+1+2", b"-2+3", b"@SUM(1)", b"\t=1", b"a;b 12", b"](javascript:a) `x` |y|", b"${jndi:x}%s%n",
    b"fn=(1) x\n1 2", b"\"];n1->n2[\"", b"\xe2\x80\xa8\xe2\x80\xa9\xef\xbb\xbf\xe2\x80\x8b",
]


def trace(path, seed=0):
    """The trace at path with every longer string of it replaced."""
    data = bytearray(open(path, "rb").read())
    n = seed
    for m in re.finditer(rb"[A-Za-z0-9_./*()\- ]{7,}", bytes(data)):
        # A string is behind its length, which may be a letter, too; others stay as they are.
        at = next((i + 1 for i in range(m.start() - 1, m.start() + 4) if data[i] == m.end() - i - 1), 0)
        if at < 17:
            continue
        text = b""
        while len(text) < m.end() - at:
            text += ATTACKS[n % len(ATTACKS)] + b"."
            n += 1
        data[at:m.end()] = text[:m.end() - at]
    return bytes(data)


def varint(n):
    out = bytearray()
    n &= (1 << 64) - 1
    while n > 0x7f:
        out.append(n & 0x7f | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def profile(scale=1):
    """A profile.proto with an attack in every string."""
    strings = [b""] + [a + b"%d" % i for i, a in enumerate(ATTACKS * 3)]
    strings[1:5] = [b"=<img src=x>\x1b[2J", b"\x1b]0;PWNED\x07<script>alert(1)</script>\"'&", b"\xe2\x80\xae_x", b"\x9b<!--"]
    at = iter(range(1, len(strings)))
    out = b""
    for _ in range(2):
        out += field(1, field(1, next(at)) + field(2, next(at)))
    n = len(ATTACKS)
    for i in range(1, n + 1):
        label = field(1, i) + field(2, n + i)
        number = field(1, n + i) + field(3, i * 10) + field(4, i)
        out += field(2, field(1, varint(i) + varint(i % n + 1)) + field(2, varint(i * scale) + varint(100 * i)) +
                     field(3, label) + field(3, number))
        out += field(3, field(1, i) + field(2, 0x1000 * i) + field(3, 0x1000 * i + 0xfff) + field(5, i) + field(6, i + 1))
        out += field(4, field(1, i) + field(2, i) + field(3, 0x1000 * i + 16) + field(4, field(1, i) + field(2, 10 + i)))
        out += field(5, field(1, i) + field(2, i) + field(3, n + i) + field(4, 2 * n + i) + field(5, i))
    for s in strings:
        out += field(6, s)
    out += field(9, 1700000000000000000) + field(10, 1000000000) + field(11, field(1, 3) + field(2, 4)) + field(12, 10)
    for i in range(1, 5):
        out += field(13, i)
    return out + field(14, 1)


def goroutines():
    """What a program that crashes prints."""
    text = b""
    for i, a in enumerate(ATTACKS):
        line = a.replace(b"\n", b"").replace(b"\r", b"")
        text += b"goroutine %d [%s]:\nmain.%s(0x1)\n\t/src/%s.go:%d +0x1d\n\n" % (i + 1, b"chan receive", line, line, i + 1)
    return text


def heap_text():
    lines = [b"heap profile: 1: 2 [3: 4] @ heap/1048576"]
    for i, a in enumerate(ATTACKS):
        line = a.replace(b"\n", b"").replace(b"\r", b"")
        lines.append(b"1: %d [2: %d] @ 0x%x" % (100 + i, 200 + i, 0x1000 + i))
        lines.append(b"#\t0x%x\t%s+0x10\t\t/src/%s:%d" % (0x1000 + i, line.replace(b" ", b"_"), line, i))
    return b"\n".join(lines) + b"\n\n# runtime.MemStats\n# Alloc = 1\n"


def in_line(attack):
    """Of control characters, only those that occur in text; others would be refused."""
    return bytes(c for c in attack if c >= 0x20 or c in (0x09, 0x1b))


def sched():
    """What perf script prints of the scheduler: threads, processes, system calls, functions, files and events."""
    text = b""
    for i, a in enumerate(ATTACKS * 2):
        name, word, at = in_line(a), in_line(a).replace(b" ", b"").replace(b"\t", b""), b" [000] %d.%03d" % (i // 200 + 1, i % 200 * 4)
        tid, other = 2 + i % 30, 2 + (i + 1) % 30
        line = name + b" 2/%d" % tid + at
        text += line + b"100: syscalls:sys_enter_%s: fd: 1\n" % word
        text += line + b"200: 100 cycles:\n\t1 %s+0x1 (/%s)\n\n" % (word, name)
        text += line + b"300: sched:sched_waking: comm=%s pid=%d prio=120 target_cpu=000\n\t1 %s+0x1 (/%s)\n\n" % (name, other, word, name)
        text += line + b"400: a:%s: x\n" % word
        text += line + (b"500: sched:sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=S ==> next_comm=%s next_pid=%d "
                        b"next_prio=120\n\t1 %s+0x1 (/%s)\n  /%s:%d\n\n" % (name, tid, name, other, word, name, name, i))
    return text


def folded():
    text = b""
    for i, a in enumerate(ATTACKS):
        name = in_line(a).replace(b";", b"")
        text += b"main;%s_[k];%s (%s.c:%d) %d\n" % (name, name, name, i, i + 1)
    return text


def speedscope():
    """Names as JSON strings: bytes as they are, but quotes, backslashes and control characters escaped."""
    def text(b):
        return b'"' + b"".join(b"\\u%04x" % c if c < 0x20 or c in b'"\\' else bytes([c]) for c in b) + b'"'
    frames = b",".join(b'{"name":%s,"file":%s,"line":%d}' % (text(a), text(a), i) for i, a in enumerate(ATTACKS))
    profiles = b",".join(b'{"type":"sampled","name":%s,"unit":%s,"samples":[[%d,0]],"weights":[%d]}' % (text(a), text(a), i, i + 1)
                         for i, a in enumerate(ATTACKS))
    return (b'{"$schema":"https://www.speedscope.app/file-format-schema.json","name":%s,"exporter":%s,"shared":{"frames":[%s]},'
            b'"profiles":[%s]}' % (text(ATTACKS[0]), text(ATTACKS[7]), frames, profiles))


def otlp():
    """A message of OpenTelemetry's profiles with an attack in every string: types, names, files, attributes."""
    n = len(ATTACKS)
    dictionary, samples = b"", b""
    for i in range(n + 1):
        dictionary += field(1, field(1, 0x1000 * i) + field(2, 0x1000 * i + 0xfff) + field(4, i))
        dictionary += field(2, field(1, i) + field(2, 0x1000 * i + 16) + field(3, field(1, i) + field(2, 10 + i)))
        dictionary += field(3, field(1, i) + field(2, n - i) + field(3, i))
        dictionary += field(5, ATTACKS[i - 1] if i else b"")
        dictionary += field(6, field(1, i) + field(2, field(8, n + 1 - i)) if i else b"")
        dictionary += field(7, field(1, varint(i) + varint(i * 7 % n)))
        samples += field(2, field(1, i) + field(2, varint(i)) + field(4, varint(i + 1)))
    resource = field(1, b"".join(field(1, field(1, a) + field(2, field(5, field(1, field(1, a))))) for a in ATTACKS))
    profiles = b"".join(field(2, field(1, field(1, i) + field(2, i + 1)) + samples) for i in range(1, 4))
    scope = field(1, field(1, ATTACKS[0]) + field(2, ATTACKS[1]))
    return field(1, resource + field(2, scope + profiles)) + field(2, dictionary)


# Nothing that a file system refuses.
NAME = b"=ev\x1b]0;PWNED\x07\xe2\x80\xae\xc2\x9b\nil<x-b>&\"'"


def write(folder, tree):
    """The dumps, in the folder (bytes), with names as bad as what is in them: by what they are."""
    made = {}
    for kind, content in (
        ("v2", trace(os.path.join(tree, "testdata/errands.trace"))),
        ("v2b", trace(os.path.join(tree, "testdata/errands.trace"), 3)),
        ("v1", trace(os.path.join(tree, "testdata/checkout-1.19.trace"), 5)),
        ("large", trace(os.path.join(tree, "testdata/checkout.trace"), 7)),
        ("profile", gzip.compress(profile(), mtime=0)),
        ("profile2", gzip.compress(profile(7), mtime=0)),
        ("goroutines", goroutines()),
        ("heap", heap_text()),
        ("sched", sched()),
        ("folded", folded()),
        ("speedscope", speedscope()),
        ("otlp", otlp()),
        ("otlpodd", b'{"resourceProfiles":[],"a\xe2\x80\xae\x9b31m\\u001b[2J":1}'),
        ("broken", b"go 1.22 trace\0\0\0" + b"\x1b]0;PWNED\x07" * 20),
        ("unknown", b"\x1b]0;PWNED\x07\x9b" * 20),
    ):
        made[kind] = os.path.join(folder, kind.encode() + NAME)
        with open(made[kind], "wb") as f:
            f.write(content)
    return made
