#!/bin/sh
# The torn engine says what the definition says (twin.h), on random programs.
build=${PERDURE_BUILD:-build}
echo 1..1
if said=$("$build"/tests/torn/fuzz --programs 15000 --seed 1); then
	echo "ok 1 - $said" | sed 's/- # /- /'
else
	echo 'not ok 1 - the engine and its twin agree'
	echo "$said"
	exit 1
fi
