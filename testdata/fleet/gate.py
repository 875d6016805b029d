"""What gate.sh says."""
import json
import os
import subprocess
import sys
import tempfile

LIMIT = 10  # percent; makefleet's default, too
# Shares below half a percent are noise that nobody acts on; 1 % in place of 5 %, as with many
# services and versions there are many gates.
GATE = f'flat(.)>+{LIMIT}%,share=0.5%,alpha=0.01'
KINDS = {'cpu': 'cpu', 'heap': 'inuse_space'}
STACKS = ['-n', '250']
FLEETS = {
    'rolled out to 24 hosts': ['-H', '24', '-d', '12'],
    'a canary on 12 of 48 hosts': ['-H', '48', '-d', '4', '-c'],
}
# Nothing changes, but hosts differ much, and few have the new version.
UNEQUAL = ['-S', '1', '-p', '0', '-N', '10', '-H', '16', '-d', '6', '-c']

bin_folder = os.path.abspath(sys.argv[1])
seeds = [int(s) for s in sys.argv[2:]] or [1, 2]


def call(name, *args, status=(0,)):
    done = subprocess.run([os.path.join(bin_folder, name), *args], capture_output=True, text=True)
    if done.returncode not in status:
        sys.exit(f'{name} {" ".join(args)}: status {done.returncode}\n{done.stderr}')
    return done


def read_truth(path):
    """(service, kind) -> {function: percent}"""
    truth = {}
    with open(path) as f:
        for line in f:
            service, kind, old, new, function, percent = line.rstrip('\n').split('\t')
            truth.setdefault((service, kind), {})[function] = float(percent)
    return truth


def exceeding(store, service, sample_type, *more):
    """The functions that a gate names, and its exit status."""
    done = call('tprof-diff', f'--base-label=service={service},version=v1',
                f'--label=service={service},version=v2', f'--sample-index={sample_type}',
                '--normalize', f'--gate={GATE}', '--format=json', *more, store, status=(0, 1))
    gate = json.loads(done.stdout)['gates'][0]
    return set(gate['exceeding'].splitlines()), done.returncode


passed = failed = 0
planted = near = nulls = naive = 0


def check(right, what, details=()):
    global passed, failed
    passed += right
    failed += not right
    if not right:
        print(f'FAILED {what}')
        for line in details:
            print('  ' + line)


def check_service(scratch, store, service, seed, what):
    global planted, near, nulls
    truth = read_truth(os.path.join(scratch, 'truth'))
    for kind, sample_type in KINDS.items():
        changes = truth.get((service, kind), {})
        want = {f for f, percent in changes.items() if percent > LIMIT}
        got, status = exceeding(store, service, sample_type, '--average-by=host')
        planted += len(want)
        near += len(changes) - len(want)
        nulls += not changes
        check(got == want and status == (1 if want else 0),
              f'{service}, {kind}, seed {seed}, {what}: status {status}',
              [f'missed: {f}, {changes[f]:+.1f} %' for f in sorted(want - got)] +
              [f'false alarm: {f}, {changes.get(f, 0):+.1f} %' for f in sorted(got - want)])


def make(scratch, seed, what, options):
    """The store of a fleet."""
    store = os.path.join(scratch, 'fleet.tprof')
    call('makefleet', '-s', str(seed), *STACKS, *options, scratch)
    done = call('tprof-import', '-o', store, '@' + os.path.join(scratch, 'list'))
    print(f'seed {seed}, {what}: {done.stdout.split(";")[0]}')
    return store


for seed in seeds:
    for what, options in FLEETS.items():
        with tempfile.TemporaryDirectory(prefix='tprof-gate-') as scratch:
            store = make(scratch, seed, what, options)
            for service in ('shop', 'search'):
                check_service(scratch, store, service, seed, what)
    with tempfile.TemporaryDirectory(prefix='tprof-gate-') as scratch:
        what = 'a canary on 4 of 16 hosts that differ'
        store = make(scratch, seed, what, UNEQUAL)
        check_service(scratch, store, 'shop', seed, what)
        naive += len(exceeding(store, 'shop', 'cpu')[0])
# Else the fleet is too easy, and says nothing about --average-by.
check(naive > 0, 'there is no false alarm without --average-by, so hosts do not differ enough')
print(f'{planted} regressions were planted; {near} changes below the limit or to the better; '
      f'{nulls} comparisons where nothing changed')
print(f'without --average-by, {naive} false alarms: dumps of one host are not independent')
print(f'gate: {passed} passed, {failed} failed')
sys.exit(failed > 0)
