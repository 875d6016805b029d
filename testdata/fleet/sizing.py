#!/usr/bin/env python3
"""The numbers of FLEET.md: what a day and a year of dumps need, from what one dump costs.

    sizing.py MEASURED [PROFILES PROFILE_MB TRACES TRACE_GB]

MEASURED is what measure.py wrote (testdata/fleet/measured.tsv is what FLEET.md has); the others are dumps
of a day, 10000 1 100 1 unless given."""
import math
import sys

MB, GB, TB = 1e6, 1e9, 1e12
DAY = 86400
FAN_IN = 16     # of the merge tree of --slurm
PER_TASK = 100  # profiles of a task; a trace is one by itself

m = {}
with open(sys.argv[1]) as f:
    for line in f:
        name, value = line.split('\t')[:2]
        m[name] = float(value)
profiles, profile_mb, traces, trace_gb = [float(a) for a in sys.argv[2:]] or [10000, 1, 100, 1]

# What depends on the size of a profile is taken to be in proportion to it.
size = profile_mb * MB
of_profile = size / m['profile_bytes']
bytes_profiles, bytes_traces = profiles * size, traces * trace_gb * GB
given = bytes_profiles + bytes_traces

import_profiles = profiles * of_profile * m['profile_import']
import_traces = bytes_traces * m['trace_import']
stored_profiles = profiles * of_profile * m['profile_stored']
stored_traces = bytes_traces * m['trace_stored']
merged_profiles = profiles * of_profile * m['profile_merged']
stored = merged_profiles + stored_traces
tasks = math.ceil(profiles / PER_TASK) + traces
levels = max(1, math.ceil(math.log(tasks, FAN_IN)))
merge_profiles = levels * profiles * of_profile * m['profile_merge']
merge_traces = levels * bytes_traces * m['trace_merge']
last_merge = profiles * of_profile * m['profile_merge'] + bytes_traces * m['trace_merge']
cpu = import_profiles + import_traces + merge_profiles + merge_traces
written = profiles * of_profile * m['profile_import_written'] + stored_traces + levels * stored


def row(what, number, how):
    print(f'| {what} | {number} | {how} |')


def seconds(s):
    return f'{s:.0f} s' if s < 120 else f'{s / 60:.0f} min' if s < 7200 else f'{s / 3600:.1f} h'


def amount(b):
    return f'{b / TB:.3g} TB' if b >= TB else f'{b / GB:.3g} GB' if b >= GB else f'{b / MB:.3g} MB'


print(f'| {profiles:,.0f} profiles of {profile_mb:g} MB and {traces:,.0f} traces of {trace_gb:g} GB a day | | how |')
print('|---|---|---|')
row('dumps, a day', amount(given), f'{amount(bytes_profiles)} + {amount(bytes_traces)}')
row('network, on average', f'{given * 8 / DAY / 1e6:.1f} Mbit/s', f'{amount(given)} in {DAY:,} s')
row('network, all in one hour', f'{given * 8 / 3600 / 1e6:.0f} Mbit/s', f'{amount(given)} in 3,600 s')
row('import, profiles', seconds(import_profiles), f'{profiles:,.0f} × {of_profile * m["profile_import"] * 1e3:.1f} ms')
row('import, traces', seconds(import_traces), f'{traces:,.0f} × {trace_gb * GB * m["trace_import"]:.1f} s')
row('merge', seconds(merge_profiles + merge_traces),
    f'{levels} levels of a tree over {tasks:,.0f} tasks × ({profiles:,.0f} × {of_profile * m["profile_merge"] * 1e3:.1f} ms '
    f'+ {traces:,.0f} × {trace_gb * GB * m["trace_merge"]:.1f} s)')
row('**processor time, a day**', '**' + seconds(cpu) + '**', f'{cpu / DAY:.3f} of one core all day; {cpu / 3600:.2f} cores for one hour')
row('the last merge, which is one process', seconds(last_merge), 'one level')
row('memory of an import of profiles', amount(m['profile_import_peak'] * of_profile), 'a process')
row('memory of an import of a trace', amount(m['trace_import_peak']), f'a process, at {amount(m["trace_bytes"])}')
row('memory of a merge', amount(m['profile_merge_peak']), 'a process')
row('**stores, a day**', '**' + amount(stored) + '**', f'{profiles:,.0f} × {of_profile * m["profile_merged"] / MB:.2f} MB '
    f'+ {traces:,.0f} × {trace_gb * GB * m["trace_stored"] / MB:.0f} MB')
row('written, a day', amount(written), f'drafts, stores and {levels} levels of merges; {written / DAY / MB:.1f} MB/s on average')
row('**stores, a year**', '**' + amount(365 * stored) + '**', f'{365 * (profiles + traces):,.0f} runs; profiles alone {amount(365 * merged_profiles)}')
row('dumps, a year', amount(365 * given), 'where they are kept as well')
row('one run of a day\'s store', f'{m["top_run"]:.2f} s', '`tprof-top --run=ID`, and some 4 us for each run of the store')
for runs in (100, 1000):
    row(f'diff of two versions, {runs:,} profiles on each side', seconds(2 * runs * of_profile * m['diff_run']),
        f'{2 * runs:,} × {of_profile * m["diff_run"] * 1e3:.0f} ms')
row('sum over a day\'s profiles', seconds(profiles * of_profile * m['sum_run']), f'{profiles:,.0f} × {of_profile * m["sum_run"] * 1e3:.0f} ms')
if 'clickhouse_rows' in m:
    all_profiles = profiles * of_profile
    row('ClickHouse: rows, a year', f'{365 * all_profiles * m["clickhouse_rows"]:.3g}',
        f'{profiles:,.0f} × {of_profile * m["clickhouse_rows"]:,.0f} a day, profiles alone')
    row('ClickHouse: on disk, a year', amount(365 * all_profiles * m['clickhouse_bytes']),
        f'{profiles:,.0f} × {amount(of_profile * m["clickhouse_bytes"])} a day')
    row('ClickHouse: loading a day, our side', seconds(all_profiles * m['clickhouse_export']),
        f'{profiles:,.0f} × {of_profile * m["clickhouse_export"] * 1e3:.0f} ms')
    row('ClickHouse: loading a day, its side', seconds(all_profiles * m['clickhouse_load']),
        f'{profiles:,.0f} × {of_profile * m["clickhouse_load"] * 1e3:.0f} ms')
    if 'clickhouse_sum' in m:
        row('ClickHouse: sum over a day\'s profiles', seconds(all_profiles * m['clickhouse_sum']),
            f'{profiles:,.0f} × {of_profile * m["clickhouse_sum"] * 1e3:.0f} ms, divided among its servers')
