#!/bin/sh
# One store of the source may be several bugs: who has to make it durable is a caller, or it is forgotten for one object and
# too late for another. Each is a finding with an id of its own, which stays the same when another one is fixed; and what is
# one bug stays one finding.
. "$(dirname "$0")/../lib/run.sh"
source=$top/tests/check/owner.c
line() { grep -n "//@ $1\$" "$source" | cut -d: -f1; }
check() { # case options...
	case=$1
	shift
	"$perdure" check --only crash --out out --json a.json --pm '*.pm' "$@" --recover "./$case x.pm verify" ./$case x.pm >text 2>err
	status=$?
}
# Lines of the caller, or else of the store, and causes.
found() {
	jq -r '[.findings[] | "\(first((.sites[] | select(.role == "caller")), (.sites[] | select(.role == "store"))).line):\(.cause)"] | sort | join(" ")' a.json
}
# is CASE EXPECTED: however it is explored, and without the first one the others
is() {
	instrument $1 -mclwb -DCASE=$1 "$source"
	check $1
	[ "$(found)" = "$2" ] && [ $status = 1 ] && jq -e '.complete and all(.findings[]; .confirmed)' a.json >/dev/null
	ok $? "$1: $2" text
	jq -r '.findings[].id' a.json | sort >ids
	[ "$(sort -u ids | wc -l)" = "$(echo "$2" | wc -w)" ]
	ok $? "$1: as many ids" text
	check $1 --no-incremental
	jq -r '.findings[].id' a.json | sort | cmp -s - ids
	ok $? "$1: the same without increments" text
	check $1 --jobs 1 --suppress /dev/null
	jq -r '.findings[].id' a.json | sort | cmp -s - ids
	ok $? "$1: the same with one job" text
	printf '[known]\nkind = *\nid = %s\n' "$(sed -n 1p ids)" >known
	check $1 --suppress known
	jq -r '.findings[].id' a.json | sort >rest
	sed 1d ids | cmp -s - rest && [ $status = $([ -s rest ] && echo 1 || echo 0) ]
	ok $? "$1: without the first one the others are there" text
}

is CALLERS "$(line forgets):missing-flush $(line forgets-too):missing-flush"
cp ids callers
is DEEP "$(line deep):missing-flush $(line deep-too):missing-flush"
cp ids deep
is FENCE "$(line forgets):missing-flush $(line no-fence):missing-fence"
is LATE "$(line forgets):missing-flush $(line late):order"
is LOOP "$(line loops):missing-fence $(line loops):missing-flush"
is HALF "$(line loops):missing-flush $(line loops):order"
is NEVER "$(line value):missing-flush"
is CHANCE "$(line value):missing-flush"
is ALL "$(line value):missing-flush"
is SELF "$(line asks-not):missing-flush $(line asks-not-either):missing-flush"
is AGAIN "$(line again):missing-flush"
is ALONE "$(line take):missing-flush"

# When the first one is fixed, the second one is what it was.
for case in CALLERS DEEP; do
	instrument $case -mclwb -DCASE=$case -DFIX=1 "$source"
	check $case
	[ "$(jq '.findings | length' a.json)" = 1 ] && grep -q "$(jq -r '.findings[0].id' a.json)" $(echo $case | tr A-Z a-z)
	ok $? "$case: one is fixed, the other keeps its id" text
done
# However it is compiled.
"$perdure" cc -g -O2 -mclwb -DCASE=CALLERS -o CALLERS "$source" || exit 1
check CALLERS
jq -r '.findings[].id' a.json | sort | cmp -s - callers
ok $? 'CALLERS, inlined: the same ids' text
finish
