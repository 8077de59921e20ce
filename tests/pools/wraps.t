#!/bin/sh
# Every wrapper does what the function does that it wraps.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

prepare wraps
driven "$P/wraps" w.pm >../out
take ../out
missing=
for name in $(sed -n 's/^PD_WRAP(\([a-z_0-9]*\),.*/\1/p' "$here/../../src/cc/crash/wrap.def"); do
	grep -q "F($name)" "$here/wraps_body.h" || missing="$missing $name"
done
[ -z "$missing" ]
ok $? "no function of wrap.def is left out$missing"
finish
