#!/bin/sh
# perdure lint on a program with the stock libpmemobj: what PMDK tells of its transactions is understood.
. "$(dirname "$0")/../lib/run.sh"
plain tx "$here/tx.c" -lpmemobj
line() { grep -n "//@ $1\$" "$here/tx.c" | cut -d: -f1; }

# lint MODE STATUS [KIND ROLE MARK]...: exactly these findings of the program's own
lint() {
	mode=$1 want=$2
	shift 2
	rm -f result.json
	"$perdure" lint -q --json result.json --pm '*.pm' ./tx "$mode" new.pm >text 2>&1
	status=$?
	[ $status = "$want" ]
	ok $? "$mode: status $want (was $status)" text
	jq -r '.findings[] | select(.library == null) | .kind as $k | .sites[] |
		select(.role != "before" and .role != "transaction") | "\($k) \(.role) \(.line)"' result.json | sort >have
	: >expected
	while [ $# -gt 0 ]; do
		echo "$1 $2 $(line "$3")" >>expected
		shift 3
	done
	sort -o expected expected
	diff expected have >difference
	ok $? "$mode: $(wc -l <expected) places" difference
	jq -e '.losses == {}' result.json >/dev/null
	ok $? "$mode: nothing is lost" result.json
}

lint right 0
lint unlogged 1 lint/unlogged-write store unlogged
lint twice 1 lint/redundant-log log first lint/redundant-log log again
lint forgotten 1 lint/missing-flush store forgotten
"$perdure" trace --stats --pm '*.pm' ./tx right new.pm >stats 2>err
awk '$2 == "clwb" { f = $1 } $2 == "tx-begin" { b = $1 } $2 == "tx-end" { e = $1 } $2 == "ntstore" { n = $1 }
	END { exit !(f > 0 && b > 0 && b == e && n > 0) }' stats
ok $? 'it flushes by clwb, copies past the cache, and its transactions are told' stats
[ ! -e new.pm ]
ok $? 'no file was made'
finish
