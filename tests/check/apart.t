#!/bin/sh
# Bugs in one program do not hide each other: what fails at another place, with another status or for another cause is
# another finding, with an id of its own; what is suppressed takes nothing with it; and what is confirmed is replayed.
. "$(dirname "$0")/../lib/run.sh"
source=$top/tests/check/apart.c
line() { grep -n "//@ $1\$" "$source" | cut -d: -f1; }
check() { # case options...
	case=$1
	shift
	"$perdure" check --only crash --out out --json a.json --pm '*.pm' "$@" --recover "./$case x.pm verify" ./$case x.pm >text 2>err
	status=$?
}
# Lines of the stores and causes, sorted.
found() {
	jq -r '[.findings[] | "\(first(.sites[] | select(.role == "store")).line):\(.cause)"] | sort | join(" ")' a.json
}
for case in ATOMIC STATUS IDS PAGE CUT EADR; do instrument $case -mclwb -DCASE=$case "$source"; done

three="$(line first):not-atomic $(line second):not-atomic $(line third):missing-fence"
for case in ATOMIC STATUS; do
	for jobs in 1 2 5; do
		check $case --jobs $jobs
		[ "$(found)" = "$three" ] && [ $status = 1 ]
		ok $? "$case, $jobs jobs: three bugs are three findings" text
		jq -e 'all(.findings[]; .confirmed) and .complete' a.json >/dev/null
		ok $? "$case, $jobs jobs: each of them is confirmed" text
	done
	jq -r '.findings[].id' a.json >ids
	for k in 1 2 3; do
		printf '[known]\nkind = *\nid = %s\n' "$(sed -n ${k}p ids)" >known
		check $case --suppress known
		[ "$(jq -r '.findings[].id' a.json | sort)" = "$(sed ${k}d ids | sort)" ] && [ $status = 1 ]
		ok $? "$case: finding $k is suppressed, the others are there" text
	done
	sed 's/.*/[known-&]\nkind = *\nid = &/' ids >known
	check $case --suppress known
	[ $status = 0 ]
	ok $? "$case: with all of them suppressed it is clean" text
done

check IDS
[ "$(jq -r '[.findings[].cause] | sort | join(" ")' a.json)" = 'not-atomic order' ]
ok $? 'one update, two causes: two findings' text
[ "$(jq -r '.findings[].id' a.json | sort -u | wc -l)" = 2 ]
ok $? 'with two ids' a.json

check PAGE
[ "$(found)" = "$(line page):missing-flush" ]
ok $? 'of a page that is read back word by word the cause is right' text
jq -e '(.findings[0] | .confirmed and (.witness.choices | length) > 0) and .complete and .stats.failed_recoveries == 512' a.json >/dev/null
ok $? 'though there are 512 failed recoveries' a.json
jq -e '.stats.blame_executions < 50' a.json >/dev/null
ok $? 'which a few executions explain' a.json
"$perdure" replay --out out "$(jq -r '.findings[0].id' a.json)" >text 2>&1
ok $(($? != 1)) 'and it replays' text

# A function that stores for others: its callers count, inlined or not.
for level in -O1 -O2; do
	"$perdure" cc -g $level -mclwb -DCASE=HELPERS -o HELPERS "$source" || exit 1
	check HELPERS
	jq -r '.findings[].id' a.json | sort >ids$level
	[ "$(jq -r '[.findings[].sites[] | select(.role == "caller") | .line] | sort | join(" ")' a.json)" = "$(line helper-a) $(line helper-c)" ]
	ok $? "helpers, $level: two callers are two findings" text
done
cmp -s ids-O1 ids-O2
ok $? 'helpers: with the same ids'
check HELPERS --gen-suppressions known
sed '/^$/,$d' known >first
check HELPERS --suppress first
[ $status = 1 ] && [ "$(jq '.findings | length' a.json)" = 1 ]
ok $? 'a generated suppression is about one of them' text

check CUT
[ $status = 0 ]
ok $? 'what is behind the end of a file that was cut is no part of a crash' text

# With eADR a store is durable as soon as it is made, so power may fail between any two of them.
check EADR --model eadr
[ "$(found)" = "$(line eadr):not-atomic" ] && jq -e '.complete and .findings[0].confirmed' a.json >/dev/null
ok $? 'eADR: an update of two stores is not atomic' text

# The failure with the longest path: 512 choices, of which the last one decides.
check PAGE --random 3 --seed 4
jq -e 'all(.findings[]; .confirmed)' a.json >/dev/null
ok $? 'a long path is replayed, too' text
finish
