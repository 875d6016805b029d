#!/usr/bin/env python3
"""Writes the inputs for the target `symbol` that are put together from others:

    python3 testdata/fuzz/seeds.py

elf-go-*: a program of Go without its code, around a table of functions (pclntab-*). The runtime's
record of the program (moduledata), which has the addresses of that table and of the inlined calls
behind it, lies in .data; in elf-go-pie-* relocations fill it, as in programs that may lie anywhere.
"""
import pathlib
import struct

HERE = pathlib.Path(__file__).resolve().parent / "symbol"
TEXT, TABLE, DATA, RELA = 0x400000, 0x480000, 0x4c0000, 0x4e0000
WORDS, TABLE_WORD, TEXT_WORD, CALLS_WORD = 56, 0, 22, 38
PROGBITS, STRTAB, RELOCATIONS, NOTE, NOBITS = 1, 3, 4, 7, 8
WRITE, ALLOC, EXEC = 1, 2, 4


def note(name, kind, content):
    name += b"\0"
    return (struct.pack("<III", len(name), len(content), kind) + name + bytes(-len(name) % 4) +
            content + bytes(-len(content) % 4))


def elf(sections):
    """sections: (name, type, flags, address, content, size of an entry)"""
    sections = [("", 0, 0, 0, b"", 0)] + sections
    names = b"\0".join(s[0].encode() for s in sections) + b"\0.shstrtab\0"
    sections.append((".shstrtab", STRTAB, 0, 0, names, 0))
    body, heads, at = b"", b"", 64 + 56
    for name, kind, flags, address, content, entry in sections:
        body += bytes(-(at + len(body)) % 8)
        size = 4096 if kind == NOBITS else len(content)
        heads += struct.pack("<IIQQQQIIQQ", names.index(name.encode() + b"\0"), kind, flags, address,
                             at + len(body) if kind else 0, size, 0, 0, 1, entry)
        body += content
    body += bytes(-(at + len(body)) % 8)
    head = struct.pack("<4sBBBBQHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0, 0, 2, 62, 1, TEXT, 64,
                       at + len(body), 0, 64, 56, 1, 64, len(sections), len(sections) - 1)
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, TEXT, TEXT, 4096, 0x100000, 4096)
    return head + load + body + heads


def program(table, calls, pie):
    """`calls`: where in the table the inlined calls are counted from."""
    words = [0] * WORDS
    words[TABLE_WORD], words[TEXT_WORD], words[CALLS_WORD] = TABLE, TEXT, TABLE + calls
    relocations = b"".join(struct.pack("<QQq", DATA + 8 * i, 8, w) for i, w in enumerate(words) if w)
    sections = [
        (".text", NOBITS, ALLOC | EXEC, TEXT, b"", 0),
        (".note.gnu.build-id", NOTE, ALLOC, 0, note(b"GNU", 3, bytes(range(0xa0, 0xb4))), 0),
        (".note.go.buildid", NOTE, ALLOC, 0, note(b"Go\0", 4, b"abc/def"), 0),
        (".gopclntab", PROGBITS, ALLOC, TABLE, table, 0),
        (".data", PROGBITS, ALLOC | WRITE, DATA, struct.pack("<%dQ" % WORDS, *([0] * WORDS if pie else words)), 0),
    ]
    if pie:
        sections.append((".rela", RELOCATIONS, ALLOC, RELA, relocations, 24))
    return elf(sections)


for version, calls in (("1.18", 126), ("1.20", 134)):
    table = (HERE / f"pclntab-{version}").read_bytes()
    (HERE / f"elf-go-{version}").write_bytes(program(table, calls, False))
    (HERE / f"elf-go-pie-{version}").write_bytes(program(table, calls, True))
