#!/bin/sh
# report.t - perdure report and perdure merge as a user runs them. TAP.
: "${PERDURE:=$(cd "$(dirname "$0")/../.." && pwd)/build/perdure}"
. "$(dirname "$0")/../lib/tap.sh"
set -u
dir=$(mktemp -d) && cd "$dir" || exit 1
trap 'cd / && rm -rf "$dir"' EXIT

# result ID FIELD COMPLETE LIMITS
result() {
	cat <<JSON
{"schema": 1, "tool": "perdure", "version": "0", "verb": "lint", "command": ["./p"], "complete": $3, "limits": [$4],
 "findings": [{"id": "$1", "kind": "lint/missing-flush", "message": "store to '$2' is never flushed", "confirmed": false,
  "sites": [{"role": "store", "file": "p.c", "line": 2, "function": "f", "stack": []}], "later_version": {}}],
 "stats": {"events": 10, "seconds": 0.5}, "losses": {}}
JSON
}

run() {
	out=$("$PERDURE" "$@" 2>err)
	status=$?
	err=$(cat err)
}

# Figures for people: words, and nothing that did not happen.
result aaaaaaaaaa a true '' | sed 's/"events": 10/"crash_points": 7, "cut_short": 0, "engine_bytes": 512/' >figures.json
run report figures.json
is 'perdure lint: 1 potential bug. Explored all 7 crash points, 0.50 s' "$(printf '%s\n' "$out" | tail -1)" 'the summary has what happened, in words'
run report --stats -q figures.json
is 'crash_points 7 cut_short 0 engine_bytes 512 seconds 0.5' "$(echo $(printf '%s\n' "$out" | sed -n 's/^  //p'))" '--stats has everything'

printf 'int f(void)\n{\n' >p.c
result aaaaaaaaaa a true '' >a.json
result aaaaaaaaaa a true '' >b.json
result bbbbbbbbbb b false '"the time limit of 1 s"' >c.json

run report a.json
is 1 "$status" "a result with findings: status 1"
is "lint/missing-flush aaaaaaaaaa: store to 'a' is never flushed" "$(echo "$out" | head -1)" "headline"
is "perdure lint: 1 potential bug. Watched 10 events, 0.50 s" "$(echo "$out" | tail -1)" "summary"
is "               2 | {" "$(echo "$out" | grep ' | ')" "source line"

# The page is made of any result; what it says cannot end the element that it is in. `make check-page` looks at it in a browser.
result aaaaaaaaaa '</script><script>x()</script><!--' true '' >hostile.json
run report --html page.html hostile.json
is '1 ' "$status $out" 'a page: the status of the run, nothing on stdout'
is 2 "$(grep -o '</script' page.html | wc -l)" 'a page: its two scripts end, and nothing else does'
is 1 "$(grep -c "Content-Security-Policy.*default-src 'none'; script-src 'sha256-" page.html)" 'a page: its policy'
is '1 0' "$(grep -c '"2":"{"' page.html) $(grep -c '"changed":true' page.html)" 'a page: the source is in it'
mkdir place
cp hostile.json place/result.json
is "$("$PERDURE" report -q place 2>&1)" "$("$PERDURE" report -q --out place 2>&1)" '--out names the result, as for fix and replay'
run report --out place hostile.json
is 2 "$status" 'or the argument does'
rm place/result.json
run report --html place hostile.json
[ $status = 2 ] && grep -q "'place' is a directory; name the page to write, then the result, as in --html page.html place" err
ok $? 'a page: not a directory' err
touch -d '2001-01-01' hostile.json
run report --html page.html hostile.json
is 1 "$(grep -c '"changed":true' page.html)" 'a page: of a source that was changed after the run'
printf 'a\nsecret\n' >keys.txt
cp keys.txt keys.c
for f in txt c; do
	result aaaaaaaaaa a true '' | sed "s/\"p.c\"/\"keys.$f\"/" >keys.json
	run report --html $f.html keys.json
done
is '0 1' "$(grep -c secret txt.html) $(grep -c secret c.html)" 'a page: a file that is no source is not read'

run merge -q -o ab a.json b.json
is "1 perdure lint: 1 potential bug. Watched 20 events, 1.00 s" "$status $out" "merge of equals"
is 2 "$("$PERDURE" report --format json ab | jq '.findings[0].count')" "counts are added"
run merge -q -o abc ab c.json
is "perdure lint: 2 potential bugs; incomplete: the time limit of 1 s. Watched 30 events, 1.50 s" "$out" "one incomplete part"
is false "$(jq .complete abc/result.json)" "and the file says so"

# A hint at what to do about many states; not at what was done.
jq '.verb = "check" | .complete = false | .limits = ["the time limit"] |
	.stats = {"executions": 200, "crash_points": 4, "most_states_function": "sum", "most_states_file": "s.c", "most_states_line": 9}' a.json >many.json
is 1 "$("$PERDURE" report many.json | grep -c 'what sum() reads at s.c:9, .* --checksum sum')" 'a hint: which read, which function, which option'
jq '.stats.most_states_function = "main"' many.json >inmain.json
is 1 "$("$PERDURE" report inmain.json | grep -c 'move it into a function and name that with --checksum, or .*pd_checksum_begin()')" 'a hint: main as a whole is no checksum'
jq '.stats.most_states_checksum = 1' many.json >named.json
is 0 "$("$PERDURE" report named.json | grep -c -e '--checksum')" 'no hint: it is named already'
jq '.stats.executions = 60' many.json >few.json
is 0 "$("$PERDURE" report few.json | grep -c '^hint')" 'no hint: few states'

# What lint does not judge, check does; what check does not, nobody does.
jq '.not_judged = "the order"' a.json >lint.json
jq '.verb = "check" | .coverage = {"sites": []} | .not_judged = "y.pm"' b.json >check.json
for parts in 'lint.json check.json' 'check.json lint.json' 'check.json lint.json lint.json' 'lint.json lint.json check.json'; do
	is '"y.pm"' "$("$PERDURE" merge -o - $parts | jq .not_judged)" "not judged: $parts"
done
is '"the order"' "$("$PERDURE" merge -o - lint.json a.json | jq .not_judged)" 'not judged: of lint alone'
"$PERDURE" merge -o abc2 c.json b.json a.json >/dev/null
"$PERDURE" merge -o abc3 a.json c.json b.json >/dev/null
is "$(jq -S '[.findings[] | del(.patch)]' abc2/result.json)" "$(jq -S '[.findings[] | del(.patch)]' abc3/result.json)" "the order of parts does not matter"
"$PERDURE" merge -o - c.json b.json | jq -e '.findings | length == 2' >/dev/null
is 0 $? "merge to standard output is JSON and nothing else"

run report --format sarif -o r.sarif abc
is "2.1.0 2" "$(jq -r '.version + " " + (.runs[0].results | length | tostring)' r.sarif)" "SARIF"

# Bad input: one line, status 2, nothing left behind.
before=$(ls -A | sort)
bad() {
	what=$1
	shift
	run "$@"
	is "2 1" "$status $(wc -l <err | tr -d ' ')" "$what: status 2, one line"
	is "$before" "$(ls -A | sort)" "$what: nothing left behind"
}
bad "nothing here" report
bad "no such file" report none.json
bad "not JSON" report p.c
bad "empty file" report /dev/null
bad "a directory without a result" report .
bad "two results" report a.json b.json
bad "unknown format" report --format xml a.json
bad "merge without -o" merge a.json
bad "merge of nothing" merge -o x
bad "merge into a file" merge -o p.c a.json
bad "merge into a directory of others" merge -o . a.json
bad "merge with a broken part" merge -o x a.json p.c
run report --format json -o /dev/full a.json
is "4 perdure: cannot write '/dev/full': No space left on device; free some space or name another place" "$status $err" "full disk"
"$PERDURE" report a.json >/dev/full 2>err
is "4 perdure: cannot write 'standard output': No space left on device; free some space or name another place" "$? $(cat err)" "full standard output"

finish
