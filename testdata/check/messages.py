#!/usr/bin/env python3
"""Every message that a user can meet, with its place: to be read one after the other, as a list.

    messages.py [PART]      PART: only files whose path holds it

A message is a string literal in a call that reports something (tp_err_set, cmd_error, …), or a help text of an
option (argp). Adjacent literals are joined, as the compiler does."""

import re
import subprocess
import sys

REPORTS = r"""tp_err_set tp_err_full tp_err_prefix tp_fault\w* \w*_fault fault fail lose lack problem
    cmd_error cmd_reject cmd_note cmd_usage cmd_print\w* cmd_say tui_error tui_message argp_error argp_failure
    tp_profile_add_notice tp_trace_add_notice tp_trace_add_loss rep_output_note rep_output_line
    rec_say rec_fail rec_search_fail rep_str note""".split()
CALL = re.compile(r"\b(?:%s)\s*\(" % "|".join(REPORTS))
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def arguments(text, at):
    """What is between the parenthesis at `at` and its end."""
    depth, i = 0, at
    while i < len(text):
        c = text[i]
        if c == '"':
            i = LITERAL.match(text, i).end()
            continue
        if c == "'":
            i += 4 if text[i + 1] == "\\" else 3
            continue
        depth += c == "("
        depth -= c == ")"
        i += 1
        if not depth:
            break
    return text[at + 1 : i - 1]


def messages(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    text = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    for call in CALL.finditer(text):
        try:
            inside = arguments(text, call.end() - 1)
        except (AttributeError, IndexError):
            continue
        line = text.count("\n", 0, call.start()) + 1
        # Macros of inttypes.h between literals stand for a number.
        inside = re.sub(r'"\s*PRI[a-z]\w+\s*"', "d", inside)
        for run in re.finditer(r'"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*', inside):
            message = "".join(LITERAL.findall(run.group()))
            # Words, not names of tables or formats alone.
            if re.search(r"[a-z]{2,} [a-z(%]", message):
                yield line, message


def main():
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    files = subprocess.run(["git", "ls-files", "cmd/*.c", "libparse/*.c", "libreport/*.c", "cmd/*.h", "libreport/*.h"],
                           check=True, capture_output=True, text=True).stdout.split()
    for path in files:
        if part in path and not re.search(r"_test\.c$|/testing|/tests/|/example/", path):
            for line, message in messages(path):
                print(f"{path}:{line}: {message}")


main()
