"""What paper.sh says."""
import os
import re
import subprocess
import sys

MEASURED = 'testdata/fleet/measured.tsv'
UNITS = {'s': (1e3, 'ms'), 'bytes': (1e-6, 'MB'), 's/byte': (1e9, 's per GB'), 'bytes/byte': (1, 'of the dump')}


def measured():
    lines = ['| | | command |', '|---|---|---|']
    with open(MEASURED) as f:
        for line in f:
            name, value, unit, command = line.rstrip('\n').split('\t')
            factor, shown = UNITS.get(unit, (1, unit))
            lines.append(f'| {name.replace("_", " ")} | {float(value) * factor:.3g} {shown} | `{command}` |')
    return '\n'.join(lines)


def sizes():
    return subprocess.run([sys.executable, 'testdata/fleet/sizing.py', MEASURED], check=True,
                          capture_output=True, text=True).stdout.rstrip('\n')


with open('FLEET.md') as f:
    text = f.read()
fresh = text
for mark, made in (('measured', measured()), ('sizes', sizes())):
    fresh = re.sub(f'<!-- {mark} -->\n.*?<!-- end -->', lambda _: f'<!-- {mark} -->\n{made}\n<!-- end -->', fresh,
                   flags=re.S)
if os.environ.get('UPDATE'):
    with open('FLEET.md', 'w') as f:
        f.write(fresh)
    text = fresh
same = text == fresh
if not same:
    print('FAILED FLEET.md has other numbers than sizing.py; UPDATE=1 sh testdata/fleet/paper.sh writes them')
print(f'paper: {int(same)} passed, {int(not same)} failed')
sys.exit(not same)
