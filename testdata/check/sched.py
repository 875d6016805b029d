#!/usr/bin/env python3
"""Compares the trace that tprof makes of perf script's text with what perf sched timehist -w says of the same
recording: how long each stretch of each thread ran, how long the thread was off the processor before it and
how much of that after its wake-up, and who woke it.

usage: sched.py BIN TEXT TIMEHIST

timehist counts in microseconds, cut off, so times agree within two. Not compared: the first row of a
processor, which has no times, what was before the first stretch of a thread that is older than the recording, and
stretches around events that are missing: these are counted, and must not be more than a tenth."""
import gzip
import re
import subprocess
import sys

NEAR = 2.1  # us


def query(bin_, text, sql):
    out = subprocess.run([bin_ + '/tprof-query', '--format=tsv', text, sql], check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True).stdout
    return [line.split('\t') for line in out.splitlines()[1:]]


def ours(bin_, text):
    """Returns stretches {(tid, end): (run, delay, wait, doubtful, first)} and wake-ups [(tid, time, waker, late)]."""
    start = int(query(bin_, text, 'SELECT start_ns FROM run')[0][0])
    stretches, wakes, left, woken, lost = {}, [], {}, {}, set()
    for g, tid, state, begin, end, inferred, waker, still in query(
            bin_, text, 'SELECT s.goroutine, coalesce(g.goid, g.id), s.state, s.start_ns, s.end_ns, s.inferred, '
            'coalesce(w.goid, w.id, 0), s.open FROM span s JOIN goroutine g ON g.id = s.goroutine '
            'LEFT JOIN goroutine w ON w.id = s.waker ORDER BY s.goroutine, s.start_ns, s.end_ns'):
        begin, end = (int(begin) + start) / 1000, (int(end) + start) / 1000
        if state == 'Lost':
            lost.add(g)
        elif state == 'Waiting':
            woken[g] = end
        elif state == 'Runnable' and waker != '0':
            wakes.append((int(tid), round(begin), int(waker), begin == end))
        elif state == 'Running':
            if still == '0':
                stretches[(int(tid), round(end))] = (
                    end - begin, begin - woken.get(g, begin), begin - left.get(g, begin),
                    inferred != '0' or g in lost and g in left, g not in left)
            left[g] = end
            woken.pop(g, None)
            lost.discard(g)
    return stretches, wakes


def theirs(path):
    """Returns rows [(line, tid, time, wait, delay, run)] and wake-ups {tid: [(time, waker)]}."""
    line_of = re.compile(r'\s*(\d+)\.(\d{6}) \[(\d+)\]\s+(?:<idle>|.*?\[(-?\d+)(?:/-?\d+)?\])\s+'
                         r'(?:awakened: (?:.*\[|:)(\d+)(?:/\d+)?\]?|([\d.]+)\s+([\d.]+)\s+([\d.]+)(?:\s.*)?)\s*$')
    rows, wakes, seen = [], {}, set()
    for line in gzip.open(path, 'rt') if path.endswith('.gz') else open(path):
        m = line_of.match(line)
        if not m:
            continue
        us, tid = int(m[1]) * 1000000 + int(m[2]), int(m[4] or 0)
        if m[5]:
            wakes.setdefault(int(m[5]), []).append((us, tid))
            continue
        if tid > 0 and m[3] in seen:
            rows.append((line.strip(), tid, us) + tuple(float(x) * 1000 for x in m.groups()[5:8]))
        seen.add(m[3])
    return rows, wakes


def is_told(wakes, tid, us, waker, late):
    """A thread that is woken on its way off the processor does not wait, and becomes runnable when it runs.
    timehist knows no thread that is dying: it is -1."""
    all_ = [(t, waker if w < 0 else w) for t, w in wakes.get(tid, [])]
    if not late:
        return (us, waker) in all_
    return [w for t, w in all_ if t <= us][-1:] == [waker]


def main(bin_, text, timehist):
    stretches, mine = ours(bin_, text)
    rows, wakes = theirs(timehist)
    unlike = doubtful = 0
    for line, tid, us, wait, delay, run in rows:
        s = stretches.get((tid, us)) or stretches.get((tid, us + 1)) or stretches.get((tid, us - 1))
        doubtful += bool(s and s[3])
        if s and (s[3] or abs(s[0] - run) <= NEAR and (abs(s[1] - delay) <= NEAR or s[4]) and
                  (abs(s[2] - wait) <= NEAR or not s[2])):
            continue
        unlike += 1
        print('unlike:', line, s)
    strange = [w for w in mine if not is_told(wakes, *w)]
    for w in strange[:5]:
        print('not told:', w)
    print('%s: %d stretches, %d not compared, %d unlike; %d wake-ups, %d by another waker' %
          (text.split('/')[-1], len(rows), doubtful, unlike, len(mine), len(strange)))
    return 1 if unlike or strange or doubtful * 10 > len(rows) or not rows or not mine else 0


sys.exit(main(*sys.argv[1:4]))
