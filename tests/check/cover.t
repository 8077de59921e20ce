#!/bin/sh
# Coverage of perdure check: which stores were at stake, which of them recovery read; and that a run which tests nothing
# is never called clean.
. "$(dirname "$0")/../lib/run.sh"
src=$top/tests/check/cover.c
instrument cover "$src"

line_of() {
	grep -n "//@ $1\$" "$src" | cut -d: -f1
}
# state MARK: of the place, over all PM files: at stake, read, read while at stake
state() {
	jq -c --argjson l "$(line_of "$1")" \
		'[.coverage.sites[] | select(.line == $l) | [.at_stake, .read, .read_at_stake]] | unique' r.json
}
# check NAME STATUS JQ-TEST MODE OPTIONS...
check() {
	name=$1 want=$2 test=$3 mode=$4
	shift 4
	"$perdure" check --only crash --json r.json --pm '*.pm' "$@" -- ./cover "$mode" >text 2>err
	status=$?
	[ $status = "$want" ] && [ ! -s err ] && jq -e "$test" r.json >/dev/null
	ok $? "$name (status $status)" text
}
untested() {
	name=$1 why=$2
	shift 2
	check "$name" 3 '(.complete | not) and .findings == [] and
		([.limits[] | select(startswith("nothing was tested: ") and contains("--recover"))] | length) == 1' "$@"
	grep -q "^perdure check: no bug found for --only crash, but incomplete.*nothing was tested: .*$why" text
	ok $? '  and it says why' text
}

check 'data, and a mark that says that it is durable' 0 '.complete and
	(.coverage | [.stores, .at_stake, .read, .read_at_stake]) == [3, 3, 2, 1]' plain
grep -q '^coverage: recovery read 2 of the 3 stores at stake (--coverage lists them)$' text
ok $? 'one line of the text' text
[ "$(state mark) $(state data) $(state never)" = '[[true,true,true]] [[true,true,false]] [[true,false,false]]' ]
ok $? 'read while at stake, read when durable, never read' r.json
jq -e '.coverage.files | length == 1 and (.[0] | .pm | endswith("/f.pm")) and
	(.[0] | [.stores, .at_stake, .read, .read_at_stake]) == [3, 3, 2, 1]' r.json >/dev/null
ok $? 'by file' r.json
jq -S .coverage r.json >plain.json

same=0
for jobs in 1 2 5; do
	"$perdure" check -j$jobs --only crash --json r.json --pm '*.pm' ./cover >text 2>err
	jq -S .coverage r.json | cmp -s - plain.json || same=1
done
"$perdure" check --only crash --no-incremental --json r.json --pm '*.pm' ./cover >text 2>err
jq -S .coverage r.json | cmp -s - plain.json || same=1
ok $same 'the same with 1, 2 and 5 jobs, and where nothing is known beforehand'

check 'drawn at random' 3 '.coverage.at_stake == 3 and .coverage.read == 2' plain --random 60
jq -S .coverage r.json >random.json
check '  the same with 5 jobs' 3 '.coverage.at_stake == 3' plain --random 60 -j5
jq -S .coverage r.json | cmp -s - random.json
ok $? '  every bit' r.json random.json

check 'files that appear by a rename are read, though never while at stake' 0 '.complete and
	(.coverage | [.at_stake, .read, .read_at_stake]) == [3, 1, 0]' renamed
check 'two files' 0 '.complete and (.coverage.files | map([(.pm | sub(".*/"; "")), .at_stake, .read])) ==
	[["one.pm", 1, 1], ["two.pm", 1, 0]] and .coverage.at_stake == 1' two

untested 'it deletes its file first' 'it deletes a PM file' deleted
untested 'it empties its file first' 'empties' emptied
untested 'it stores nothing' 'stored nothing to PM' nothing
untested 'its recovery reads nothing' 'reads nothing from PM' blindly
untested 'it stores where no crash leaves anything' 'no store was at stake' temporary
untested 'its recovery looks elsewhere' 'other data' plain --recover './cover look other.pm'
untested 'at random, too' 'it deletes a PM file' deleted --random 20
untested 'two crashes in a row, too' 'it deletes a PM file' deleted --crashes 2
check 'with --recover there is something to test' 0 '.complete and .coverage.read == 2' blindly --recover './cover look f.pm'

# exercised NAME NOT-EXERCISED MODE OPTIONS...: the JSON has it, or nothing (""), and the last line of the text
exercised() {
	name=$1 missing=$2
	shift 2
	check "$name" 0 "(.not_exercised // \"\") == \"$missing\"" "$@"
	tail -n1 text >last
	if [ "$missing" ]; then grep -qF ". Recovery did not exercise: $missing" last; else ! grep -q exercise last; fi
	ok $? '  and the summary says so' text
}
names='deleting'
exercised 'recovery that only looks' 'writing or deleting (it stored nothing to PM)' plain --recover './cover look f.pm'
exercised 'recovery that writes' "$names, a second crash (--crashes 2)" plain
exercised 'recovery that only removes' 'the stores of fill(), a second crash (--crashes 2)' plain --recover './cover remove f.pm'
exercised 'recovery that removes and writes' 'a second crash (--crashes 2)' plain --recover './cover again f.pm'
exercised 'and crashes a second time' '' plain --recover './cover again f.pm' --crashes 2
"$perdure" check -q --only crash --out looks --pm '*.pm' --recover './cover look f.pm' ./cover >text 2>err
"$perdure" check -q --only crash --out writes --pm '*.pm' --recover './cover again f.pm' ./cover >text 2>err
"$perdure" report looks >text && grep -q 'did not exercise: writing' text && "$perdure" merge -o both.json looks writes >text &&
	jq -e '.not_exercised == null' both.json >/dev/null
ok $? 'kept in a result; of two runs only what both leave out' text both.json

"$perdure" check --only crash --coverage --out one --pm '*.pm' ./cover two >text 2>err
grep -q "^ *read .*cover.c:$(line_of both):" text && grep -q "^ *NOT READ .*cover.c:$(line_of both):" text &&
	grep -q '/two.pm: recovery read 0 of 1 stores at stake' text
ok $? '--coverage lists them' text
"$perdure" report --coverage one >again
cmp -s text again
ok $? 'report shows the same' text again
"$perdure" check --only crash -q --out two --pm '*.pm' ./cover >text 2>err
"$perdure" merge -o both.json one two >text 2>err
jq -e '.complete and (.coverage | [.at_stake, .read]) == [4, 3] and (.coverage.files | length) == 3' both.json >/dev/null
ok $? 'merge joins them' both.json
"$perdure" merge -o both.json two two >text 2>err
jq -S .coverage both.json | cmp -s - plain.json
ok $? 'and counts nothing twice' both.json
finish
