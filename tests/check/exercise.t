#!/bin/sh
# What perdure check says that recovery did not exercise, where the program is its own recovery: what it does after a
# crash that left nothing does not count.
. "$(dirname "$0")/../lib/run.sh"
instrument exercise "$top/tests/check/exercise.c"

# exercised NAME NOT-EXERCISED STRUCTURE WHEN OPTIONS...
exercised() {
	name=$1 missing=$2 structure=$3 when=$4 want=0
	shift 4
	case " $* " in *' --random '*) want=3 ;; esac
	"$perdure" check --only crash --json r.json --pm '*.pm' "$@" -- ./exercise "$structure" "$when" >text 2>err
	status=$?
	[ $status = $want ] && [ ! -s err ] && jq -e --arg m "$missing" '.not_exercised // "" | . == $m' r.json >/dev/null
	ok $? "$name (status $status)" text r.json
}
second='a second crash (--crashes 2)'
nothing='writing or deleting (it stored to PM only where it found nothing there)'
for structure in stack queue map; do
	exercised "$structure: all of it" "$second" $structure always
	exercised "$structure: only what it has not found" "$nothing" $structure once
	exercised "$structure: the same at random" "$nothing" $structure once --random 200
	exercised "$structure: all of it, and a second crash" '' $structure always --crashes 2
	exercised "$structure: not even then" "$nothing" $structure once --crashes 2
done
exercised 'a stack that only mends' "the stores of push() and 1 more function, deleting, $second" stack mend
exercised 'a stack without pop()' "deleting, $second" s always
exercised 'a queue without queue_deq()' "deleting, $second" q always
exercised 'populate() does not delete' "deleting, $second" m always
finish
