#!/bin/sh
# formats.t - what other programs read: SARIF and JUnit XML are what their schemas ask for; --baseline tells new from known. TAP.
. "$(dirname "$0")/../lib/run.sh"

# valid RESULT NAME: in both formats
valid() {
	for format in sarif junit; do
		"$perdure" report --format $format -o out "$1" >text 2>&1
		[ $? -le 3 ] && python3 "$here/formats.py" $format out >>text 2>&1
		ok $? "$format: $2" text
	done
}

mkdir src
cp "$top/examples/notes.c" src/notes.c
instrument notes src/notes.c -DBUG
instrument fixed src/notes.c
"$perdure" check -q --pm '*.pm' --out first --json check.json ./notes a.pm one two >text 2>&1
is 1 $? 'check finds a bug'
valid check.json 'of check'
"$perdure" lint -q --pm '*.pm' --out lint ./notes a.pm one two >text 2>&1
is 1 $? 'lint finds two'
valid lint 'of lint'
"$perdure" check -q --strict --pm '*.pm' --out strict ./fixed a.pm one two >text 2>&1
valid strict 'of portability warnings'
"$perdure" lint -q --pm '*.pm' --out clean ./fixed a.pm one two >text 2>&1
is 0 $? 'a clean run'
valid clean 'of a clean run'

# A checker that takes everything would show nothing.
"$perdure" report --format sarif -o good check.json
for break in 's/"startLine": 43/"startLine": 0/' 's/"level": "error"/"level": "fatal"/' 's/"text":/"txt":/' 's/"ruleIndex": 0/"ruleIndex": "0"/'; do
	sed "$break" good >out
	! cmp -s good out && ! python3 "$here/formats.py" sarif out >text 2>&1
	ok $? "SARIF that is broken by $break is noticed" text
done

# The way of a finding: store, crash, read; files relative to the sources; help.
flow=$(jq -r '[.runs[0].results[0].codeFlows[0].threadFlows[0].locations[] | .kinds[0] + " " + (.location.physicalLocation |
	.artifactLocation.uriBaseId + "/" + .artifactLocation.uri + ":" + (.region.startLine | tostring))] | join(", ")' good)
line() { sed -n "/$1/=" src/notes.c | head -1; }
is "store SRCROOT/src/notes.c:$(line 'n->length = ')" "${flow%%,*}" 'SARIF: the flow begins with the store'
is 'store crash load fail' "$(echo "$flow" | tr ',' '\n' | awk '{ print $1 }' | xargs)" 'then the crash, then what recovery does'
jq -e '.runs[0].tool.driver.rules[0].help.markdown | contains("**Fix:**")' good >/dev/null
ok $? 'SARIF: rules have help'

# Strings of tested programs, at their worst.
python3 - <<'PY'
import json
with open('check.json') as f:
    r = json.load(f)
evil = ''.join(map(chr, range(1, 32))) + '<&>"\']]>--><script>\x7f\u0085\ufffe\uffff\U0001f600'
f = r['findings'][0]
f['message'] = f['output'] = f['fix'] = f['sites'][0]['function'] = f['sites'][0]['file'] = evil
r['command'] = ['./p', evil]
r['verb'] = evil
r['complete'] = False
r['limits'] = [evil]
with open('evil.json', 'w') as f:
    json.dump(r, f)
PY
valid evil.json 'of hostile strings, incomplete'
is 1 "$(grep -c '<error type="incomplete"' out)" 'JUnit: an incomplete run is an error'

# ---- --baseline ---------------------------------------------------------------------------------------

"$perdure" check --pm '*.pm' --out again --baseline check.json ./notes a.pm one two >text 2>&1
is 0 $? 'baseline: what is known does not fail'
grep -q '^crash/.*  (known) ' text && tail -1 text | grep -q 'nothing new, 1 known since check.json' && ! grep -q clean text
ok $? 'it is shown as known, and nothing is called clean' text
valid again 'of what is known'
is 1 "$(grep -c '<skipped' out)" 'JUnit: skipped'
"$perdure" report --format sarif again >out
is unchanged "$(jq -r '.runs[0].results[0].baselineState' out)" 'SARIF: unchanged'
"$perdure" report -q again >text
is "0 1" "$? $(grep -c '1 known since check.json' text)" 'the result itself says so when it is shown again'

"$perdure" check --pm '*.pm' --out gone --baseline check.json ./fixed a.pm one two >text 2>&1
is 0 $? 'baseline: fixed'
grep -q '^gone: crash/recovery-abort ' text && tail -1 text | grep -q 'clean, 1 gone since check.json'
ok $? 'what is gone is listed' text
valid gone 'of what is gone'
"$perdure" report --format sarif gone >out
is absent "$(jq -r '.runs[0].results[0].baselineState' out)" 'SARIF: absent'
"$perdure" check -q --pm '*.pm' --only torn --out only --baseline check.json ./fixed a.pm one two >text 2>&1
! grep -q gone text
ok $? 'what --only leaves out is not gone' text

"$perdure" check --pm '*.pm' --json clean.json ./fixed a.pm one two >text 2>&1
"$perdure" check -q --pm '*.pm' --baseline clean.json ./notes a.pm one two >text 2>&1
is 1 $? 'baseline: what is new fails'
"$perdure" check -q --random 1 --pm '*.pm' --baseline check.json ./fixed a.pm one two >text 2>&1
[ $? = 3 ] && grep -q '1 not found again since' text
ok $? 'an incomplete run does not call anything gone' text
"$perdure" report -q --baseline check.json check.json >text 2>&1
is 0 $? 'baseline: of a report'
"$perdure" merge -q --baseline check.json -o both first lint >text 2>&1
[ $? = 1 ] && grep -q '2 potential bugs, 1 known since' text
ok $? 'baseline: of a joined result' text
cp check.json same.json
"$perdure" check -q --pm '*.pm' --json same.json --baseline same.json ./notes a.pm one two >text 2>&1
is '0 true' "$? $(jq -c '.findings[0].known' same.json)" 'the baseline may be replaced'
for wrong in none.json lint src/notes.c; do
	"$perdure" check --pm '*.pm' --baseline $wrong --out never ./notes b.pm one >text 2>&1
	[ $? = 2 ] && [ ! -e never ] && [ "$(wc -l <text)" = 1 ]
	ok $? "a baseline that is none ($wrong) is refused before the run" text
done
finish
