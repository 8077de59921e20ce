#!/bin/sh
# The cause of a failure: the stores that it needs to be lost, and no others, found by forcing them to be durable.
. "$(dirname "$0")/../lib/run.sh"
source=$top/tests/check/forced.c
instrument forced "$source"
line() { grep -n "//@ $1\$" "$source" | cut -d: -f1; }

# The lines of the lost stores of all findings of this kind.
stores() { # kind json
	jq -c --arg kind "$1" '[.findings[] | select(.kind == $kind) | [.sites[] | select(.role == "store") | .line]]' "$2"
}

for mode in masked two wide; do
	for options in '' '--random 300'; do
		"$perdure" check --only crash --explain --json a.json --pm '*.pm' $options ./forced $mode $mode.pm >text 2>err
		case $mode in
		masked) want="[[$(line data)]]" ;;
		two) want="[[$(line first),$(line second)]]" ;;
		wide) want="[[$(line last)]]" ;;
		esac
		[ "$(stores crash/recovery-abort a.json)" = "$want" ]
		ok $? "$mode ${options:-all of them}: the lost stores are $want" text
		[ "$(jq -r '.findings[] | select(.kind == "crash/recovery-abort") | .explain[]' a.json |
			grep -c "^tried: with the store at forced.c:[0-9]* durable and all else unchanged, recovery succeeds\$")" = \
			"$(echo "$want" | tr ',' '\n' | wc -l)" ]
		ok $? "$mode ${options:-all of them}: with any of them durable recovery ends well" text
		jq -e '.stats.blame_executions > 2 and .stats.blame_executions < 40' a.json >/dev/null
		ok $? "$mode ${options:-all of them}: a few executions more" a.json
	done
done

# A store whose loss only keeps recovery from failing in another way is not the cause, but that is told for itself.
"$perdure" check --only crash --json a.json --pm '*.pm' ./forced masked m.pm >text 2>err
jq -e '[.findings[].kind] | sort == ["crash/recovery-abort", "crash/recovery-exit"]' a.json >/dev/null
ok $? 'what was masked is a finding of its own' text

# Whoever comes by a failure first: the same executions and the same findings. No failure is executed twice to explore.
instrument tree -DBUG=2 -pthread "$top/bugs/structures/fastfair.c"
for jobs in 1 2 5; do
	"$perdure" check --jobs $jobs --only crash --json $jobs.json --pm '*.pm' ./tree x.pm 6 1 >text 2>err
	jq -S '[.findings[] | {id, kind, cause, count, message, sites, fix}], (.stats | .executions, .blame_executions, .failed_recoveries, .outcomes_digest)' \
		$jobs.json >$jobs
done
diff 1 2 >diff && diff 1 5 >>diff
ok $? 'the same with any number of jobs' diff
jq -e '.stats | .blame_executions * 10 < .executions' 1.json >/dev/null
ok $? 'finding the cause is cheap' 1.json

# More failures than are run again: those that are not are counted, and not confirmed.
many=260
sh "$top/tests/check/many.sh" $many >many.c
instrument many many.c
"$perdure" check --only crash --explain --json a.json --pm '*.pm' ./many >text 2>err
jq -e --argjson n $many '(.findings | length == $n) and ([.findings[].cause] | unique == ["missing-flush"]) and
	(([.findings[] | select(any(.explain[]?; startswith("tried:")) | not)] | length) as $left |
	$left > 0 and .stats.unproven_causes == $left and .stats.failures_not_run_again == $left and
	([.findings[] | select(.confirmed | not)] | length) == 0 and
	(.complete | not) and any(.limits[]; contains("not run again")))' a.json >/dev/null
ok $? 'causes that were not proven are counted' text
finish
