#!/bin/sh
# What a thread has read before another one stored to it is no initialisation for that thread, whatever the schedule;
# and what was only looked at in time is. The same program has the same findings each time, through both front ends.
. "$(dirname "$0")/../lib/run.sh"
instrument look "$top/tests/lockset/look.c" -pthread
gcc -g -O1 -pthread -o look.plain "$top/tests/lockset/look.c"
line() { grep -n "//@ $1\$" "$top/tests/lockset/look.c" | cut -d: -f1; }

# ids PROGRAM HOW SEEDS...: of a run with each, every different result once
ids() {
	front=$1 how=$2
	shift 2
	rm -f ids
	for seed; do
		rm -f new.pm
		"$perdure" lockset -q --no-confirm --seed $seed --out o --json a.json --pm '*.pm' ./$front $how new.pm >text 2>err
		jq -r '[.complete, .findings[].id] | join(" ")' a.json >>ids
	done
	sort -u ids
}
for front in look look.plain; do
	[ "$(ids $front looked 1 2 3 4 5 6 7 8 9 10 | wc -l)" = 1 ] && jq -e "(.findings | length) == 1 and (.findings[0] |
		.kind == \"lockset/persistent-race\" and .sites[0].line == $(line store) and
		any(.sites[]; .role == \"load\" and .line == $(line load)))" a.json >/dev/null
	ok $? "$front: main has read it before: one race, ten times" ids
	[ "$(ids $front apart 2 2 2 2 | wc -l)" = 1 ]
	ok $? "$front: two threads that have nothing in common but a field: the same each time" ids
	[ "$(ids $front joined 1 2)" = true ]
	ok $? "$front: and reads it again only afterwards: none" ids
	[ "$(ids $front scan 1 2 3)" = true ]
	ok $? "$front: a new file that main has scanned, and others initialise: none" ids
done
finish
