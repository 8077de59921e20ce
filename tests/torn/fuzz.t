#!/bin/sh
# The torn engine says what the definition says (twin.h), on random programs.
. "$(dirname "$0")/../lib/tap.sh"
build=${PERDURE_BUILD:-build}
said=$("$build"/tests/torn/fuzz --programs 15000 --seed 1)
ok $? "the engine and its twin agree: $(printf '%s' "$said" | tail -1 | sed 's/^# //')" "$said"
finish
