#!/usr/bin/env python3
"""No function calls itself, directly or by way of others, but for those whose depth is bounded by
something other than the input.

    recursion.py ALLOWED FILE.ci…

The files are gcc's -fcallgraph-info. Calls through pointers are not in them; where a callback leads
back to who called it, nothing here sees it. ALLOWED has a line for each group of functions that may
call one another: their names with commas, then why.
"""
import re
import sys

EDGE = re.compile(r'^edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')


def read(paths):
    calls = {}
    for path in paths:
        with open(path) as f:
            for line in f:
                edge = EDGE.match(line)
                if edge and edge.group(2) != "__indirect_call":
                    calls.setdefault(edge.group(1), set()).add(edge.group(2))
    return calls


def cycles(calls):
    """Strongly connected parts of more than one function, and functions that call themselves (Tarjan,
    with a stack of its own)."""
    number, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in calls:
        if root in number:
            continue
        work = [(root, iter(sorted(calls.get(root, ()))))]
        number[root] = low[root] = len(number)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, rest = work[-1]
            for to in rest:
                if to not in number:
                    number[to] = low[to] = len(number)
                    stack.append(to)
                    on_stack.add(to)
                    work.append((to, iter(sorted(calls.get(to, ())))))
                    break
                if to in on_stack:
                    low[node] = min(low[node], number[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    part = []
                    while not part or part[-1] != node:
                        part.append(stack.pop())
                        on_stack.discard(part[-1])
                    if len(part) > 1 or node in calls.get(node, ()):
                        found.append(sorted(part))
    return found


def plain(name):
    """libparse/base/x.c:f and f alike: static functions come with their file."""
    return name.rsplit(":", 1)[-1]


def main():
    allowed = {}
    with open(sys.argv[1]) as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                names, _, why = line.partition(" ")
                allowed[frozenset(names.split(","))] = [why.strip(), False]
    calls = read(sys.argv[2:])
    passed = failed = 0
    for part in cycles(calls):
        entry = allowed.get(frozenset(plain(n) for n in part))
        if entry and entry[0]:
            entry[1] = True
            passed += 1
        else:
            failed += 1
            print("FAILED call one another: %s" % ", ".join(part))
    for names, (_, used) in allowed.items():
        if not used:
            failed += 1
            print("FAILED do not call one another (any more): %s" % ", ".join(sorted(names)))
    if len(calls) < 1000:
        failed += 1
        print("FAILED only %d functions call others: not the whole program" % len(calls))
    print("%d functions" % len(calls))
    print("recursion: %d passed, %d failed" % (passed, failed))
    return failed != 0


sys.exit(main())
