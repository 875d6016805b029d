#!/bin/sh
# The golden tests of testdata/cli with commands of another machine.
#
# Left out are those that record (of arm64 recorder.sh does that, elsewhere the recorder is not there), and of i386
#   top--disasm, top--format-svg   start programs of this machine, which the jail's filter of system
#                                  calls, made for those of 32 bits, does not let do anything
#   diff-trace                     shows all digits there are; glibc's own mathematics are done by x87
#                                  on i386, and the last two digits of a confidence bound are others
# and under qemu
#   tprof-help                     one command starts another, which the kernel cannot
#   top--disasm, top--format-svg   a program that is not there: qemu has no vfork, so that posix_spawn
#                                  says nothing and the child ends with 127
#   import--slurm                  likewise; and it starts tprof-import, which the kernel cannot
#   diff--power                    computes for minutes under qemu
#
#   sh testdata/ports/commands.sh BIN N arm64|i386|s390x [qemu]      every Nth of them
set -u
cd "$(dirname "$0")/../.." || exit 4
every=$2 number=0

skip=
for test in testdata/cli/*.sh; do
	name=$(basename "$test" .sh)
	number=$((number + 1))
	grep -q -e 'tprof-record' -e 'tprof record' "$test" || [ $((number % every)) -ne 0 ] && skip="$skip $name"
done
skip="$skip tprof" # lists the recorder
[ "$3" != i386 ] || skip="$skip top--disasm top--format-svg diff-trace"
[ -z "${4:-}" ] || skip="$skip import--slurm tprof-help top--disasm top--format-svg diff--power"
BIN=$1 SKIP=$skip LIMIT=300 exec sh testdata/cli/run.sh
