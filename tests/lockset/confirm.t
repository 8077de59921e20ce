#!/bin/sh
# perdure lockset: what comes of races when they are made to happen, and what is said where nothing does.
. "$(dirname "$0")/../lib/run.sh"
tmp=$dir
cd "$top" || exit 1

"$perdure" cc -g -O1 -pthread -I"$top/include" -o "$tmp/confirm" tests/lockset/confirm.c || exit 1

run() { # case options...; input is stdin
	case=$1
	shift
	rm -f "$tmp"/*.pm
	(cd "$tmp" && "$perdure" lockset --out o --json r.json --pm '*.pm' "$@" -- ./confirm x.pm "$case" >out 2>&1)
}

says() { # name, condition on f (the race of `cause`), fs and stats
	python3 - "$tmp/r.json" "$2" >"$tmp/why" 2>&1 <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
stats = r['stats']
fs = [f for f in r['findings'] if f['kind'] != 'lockset/write-race']
for f in fs:
    print(f['kind'], f['message'])
f = fs[0]
assert eval(sys.argv[2]), stats
PY
	ok $? "$1" "$tmp/why"
}

run before </dev/null
says 'the load never comes in time: potential, and why' \
	"f['message'].startswith('potential (in 480 schedules the load never fell between the store and its persist: it came before or after each time)')"
says 'it is no finding that was confirmed' "not f['confirmed'] and stats['potential'] == 1"

run idle </dev/null
says 'the reader does nothing durable: potential, and why' \
	"f['message'].startswith('potential (in ') and ' of 24 schedules the load came before the persist, but' in f['message'][:90]"

run once </dev/null
says 'one of twenty stores matters: it is found' "f['confirmed'] and f['message'].startswith('failed: recovery fails without the store')"
says 'with the effect, and where the power failed' \
	"[s['role'] for s in f['sites']][-2:] == ['effect', 'crash']"

id=$(jq -r '.findings[0].id' "$tmp/r.json")
(cd / && "$perdure" replay --out "$tmp/o" "$id") >"$tmp/out" 2>&1
ok $(($? != 1)) 'what failed is replayed by its id, from anywhere' "$tmp/out"
grep -q '^replayed: recovery exits with status 1' "$tmp/out"
ok $? 'and fails in the same way' "$tmp/out"
(cd "$tmp" && "$perdure" replay --explain --image "$tmp/image" --out o "$id") >"$tmp/out" 2>&1
[ -s "$tmp/image" ] && grep -q 'with the store at confirm.c:.* durable and all else unchanged, recovery succeeds' "$tmp/out"
ok $? 'with its story, and the file that the crash left' "$tmp/out"

# The same as C++: names are as in the source, also of what was seen in schedules.
mv "$tmp/confirm" "$tmp/confirm.c11"
"$perdure" c++ -x c++ -g -O2 -pthread -I"$top/include" -o "$tmp/confirm" tests/lockset/confirm.c || exit 1
run once </dev/null
says 'a site that was inlined, from a header of the program: it, and its callers' \
	"[x['function'].split('(')[0] for x in [f['sites'][-1]] + f['sites'][-1]['stack']] == ['pm_fence', 'pm_persist', 'act', 'reader']"
says 'C++: names as in the source' "f['sites'][-2]['role'] == 'effect' and not any('_Z' in s['function'] for s in f['sites'])"
mv "$tmp/confirm.c11" "$tmp/confirm"

run wide --time-limit 10s </dev/null
says 'not all recoveries were tried: it is not called benign' \
	"f['message'].startswith('observed: effect without cause: ') and not f['confirmed'] and stats['benign'] == 0"
says 'the time limit is for confirming, too, and it is said' \
	"stats['seconds'] < 40 and not r['complete'] and 'ran out of time (--time-limit) before confirming' in r['limits'][0]"

run wide2 --confirm 10s </dev/null
says 'the other race has its turn' \
	"stats['not_tried'] == 0 and [f['message'][:25] for f in fs] == ['observed: effect without ', 'failed: recovery fails wi']"
says 'in the time that was given' "stats['seconds'] < 60"

run anyway </dev/null
says 'recovery fails with the store, too: it is not what it fails for' \
	"f['message'].startswith('observed: recovery fails with and without the store') and not f['confirmed'] and r['complete']"

run reset </dev/null
says 'recovery sets it anew: benign' "f['kind'] == 'lockset/benign-race' and stats['benign'] == len(fs)"

mv "$tmp/confirm" "$tmp/confirm.all"
for how in 0 1; do
	"$perdure" cc -g -O1 -pthread -DFIXED=$how -I"$top/include" -o "$tmp/confirm" bugs/race-not-looked-for/case.c || exit 1
	run x </dev/null
	status=$?
	[ $how = 1 ] || says 'the effect is looked at, the cause never is: a note' \
		"f['kind'] == 'lockset/benign-race' and f['facts']['verdict'] == 'unread' and stats['unread'] == 1"
	[ $how = 1 ] || says 'and the result is not complete' \
		"$status == 3 and not r['complete'] and r['limits'][0].startswith('recovery never reads what 1 race stores')"
done
ok $status 'persisted by the reader: clean' "$tmp/out"
"$perdure" cc -g -O1 -pthread -DFIXED=1 -I"$top/include" -o "$tmp/confirm" bugs/race-helps-when-new/case.c || exit 1
run x </dev/null
says 'the reader makes it durable each time: a note, and clean' \
	"$? == 0 and f['facts']['verdict'] == 'helped' and stats['helped'] == 1 and r['complete']"
mv "$tmp/confirm.all" "$tmp/confirm"

mv "$tmp/confirm" "$tmp/confirm.c11"
printf 'void other(long *p)\n{\n\t*p = *p + 1;\n}\n' >"$tmp/other.c"
for f in "$tmp/other.c" tests/lockset/confirm.c; do
	"$perdure" cc -g -O1 -pthread -I"$top/include" -c -o "$tmp/$(basename "$f" .c).o" "$f" || exit 1
done
"$perdure" cc -pthread -o "$tmp/confirm" "$tmp/other.o" "$tmp/confirm.o" || exit 1
run once </dev/null
says 'a program of several files: what was seen is what is made to happen' "f['confirmed']"

"$perdure" cc -g -O1 -pthread -DFIXED=0 -o "$tmp/confirm" bugs/race-same-line/case.c || exit 1
run - </dev/null
says 'recovery fails for another store of the line, which is a finding: a note' \
	"sorted((f['kind'], f['confirmed'], f['facts']['verdict']) for f in fs) == [('lockset/benign-race', False, 'another'), ('lockset/persistent-race', True, 'failed')]"
mv "$tmp/confirm.c11" "$tmp/confirm"

printf x3 >"$tmp/in"
run input <"$tmp/in"
says 'every execution reads the same input' "f['confirmed'] and f['message'].startswith('failed: recovery fails without the store')"

run once --confirm 1ms </dev/null
says 'no time: not tried, and why' \
	"f['message'].startswith('not tried (out of time; raise --confirm)') and stats['not_tried'] == 1"
says 'then the result is not complete' "not r['complete'] and '(--confirm)' in r['limits'][0] and 'confirming 1 race' in r['limits'][0]"

for p in /proc/[0-9]*; do
	[ "$(readlink "$p/exe" 2>/dev/null)" != "$(readlink -f "$tmp/confirm")" ] || echo "$p"
done >"$tmp/left"
ok "$(grep -c . "$tmp/left")" 'no process stays behind' "$tmp/left"
finish
