#!/bin/sh
# Another compiler: everything with clang, without a warning, and all unit tests. (make lint has more
# of its opinions; this is about programs that work.)
#
#   MAKE='make -j2' sh testdata/ports/clang.sh
set -u
cd "$(dirname "$0")/../.." || exit 4
. testdata/ports/count.sh
needs clang clang
build 'build' FLAVOUR=port-clang "CC=${CCACHE:+$CCACHE }clang" 'CFLAGS=-O1 -g' all tests || finish clang
part 'modules' sh testdata/check/unit.sh $(find build/port-clang/test -type f -name '*_test' | sort)
finish clang
