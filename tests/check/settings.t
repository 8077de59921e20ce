#!/bin/sh
# A replay runs what the check ran: every word, the directory, the environment that matters, standard input. It finds a
# finding in any run, and a merge counts a run once.
. "$(dirname "$0")/../lib/run.sh"
instrument words "$top/tests/check/words.c"
lf='a
b'
odd=$(printf 'odd\377byte')

# again NAME COMMAND...: the finding of the last check fails again
again() {
	name=$1
	shift
	"$@" >out 2>err
	status=$?
	[ $status = 1 ] && grep -q '^replayed: recovery exits with status 3' out
	ok $? "$name (status $status)" out
}
id() {
	jq -r '[.findings[] | select(.kind | startswith("crash/"))][0].id' "${1:-perdure.out/last}/result.json"
}

printf 'some\ninput' | "$perdure" check -q --only crash --pm '*.pm' ./words words.pm 'two words' '' "$lf" "$odd" ' ' "a'b\"c\\" >text 2>&1
[ $? = 1 ] && [ "$(jq -r '.findings | length' perdure.out/last/result.json)" = 1 ]
ok $? 'a program with odd words fails' text
first=$(id)
again 'the same words, the same input' "$perdure" replay "$first"
grep -qx "$(jq -r '.findings[0].output' perdure.out/last/result.json)" out
ok $? 'it says the same' out
again 'whatever is on standard input' sh -c "echo other | '$perdure' replay $first"
again 'with few descriptors' sh -c "ulimit -n 900 && '$perdure' replay $first </dev/null"
grep -qx "$(jq -r '.findings[0].output' perdure.out/last/result.json)" out
ok $? 'it has the same input' out
mkdir sub
again 'from another directory' sh -c "cd sub && '$perdure' replay --out ../perdure.out/1 $first"
cmd=$(jq -r '.findings[0].replay' perdure.out/last/result.json)
mkdir -p bin && ln -sf "$perdure" bin/perdure
again 'by the command that the finding names' env PATH="$PWD/bin:$PATH" sh -c "$cmd"

PMEM_WORDS='x y' LD_WORDS="$lf" "$perdure" check -q --only crash --pm '*.pm' ./words words.pm </dev/null >text 2>&1
again 'with variables that are not set any more' "$perdure" replay "$(id)"
again 'with one that has been set since' env LC_WORDS=1 PMEM_WORDS=other "$perdure" replay "$(id)"

"$perdure" check -q --only crash --out "it's an odd \$dir" --pm '*.pm' ./words words.pm 1 </dev/null >text 2>&1
cmd=$(jq -r '.findings[0].replay' "it's an odd \$dir/result.json")
again 'a directory with an odd name' env PATH="$PWD/bin:$PATH" sh -c "$cmd"
"$perdure" report --explain "it's an odd \$dir" >out 2>err
[ $? = 1 ] && grep -q 'words.c' out
ok $? 'which a report explains' err

# --recover: words as a shell splits them
"$perdure" check -q --only crash --pm '*.pm' --recover "./words recover 'two words' \"\" a'
'b" ./words words.pm </dev/null >text 2>&1
[ $? = 1 ]
ok $? '--recover with quoted words' text
again 'replayed' "$perdure" replay "$(id)"
"$perdure" check -q --only crash --pm '*.pm' --recover './words recover two\ words "" "a
b"' ./words words.pm </dev/null >text 2>&1
[ $? = 1 ]
ok $? '--recover with a backslash' text
for line in './words recover | cat' './words "recover' './words $x' ''; do
	"$perdure" check -q --pm '*.pm' --recover "$line" ./words words.pm </dev/null >out 2>err
	[ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q -- '--recover' err
	ok $? "--recover '$line' is refused" err
done

# An id of an earlier run
rm -rf perdure.out/[3-9]*
"$perdure" check -q --only torn --pm '*.pm' ./words words.pm </dev/null >text 2>&1
[ "$(readlink perdure.out/last)" = 3 ] && again 'an id of an earlier run' "$perdure" replay "$first" </dev/null
grep -q "^finding $first is from an earlier run: perdure.out/2" out
ok $? 'which is named' out
"$perdure" replay 0123456789 >out 2>err
[ $? = 2 ] && grep -q "no finding 0123456789 in any run of 'perdure.out'" err
ok $? 'an id of no run' err

# A run counts once in a merge, by whatever names. The joined result is whole: it replays what is in it.
same() {
	[ "$(jq -S 'del(.findings[].replay, .findings[].patch, .settings)' "$1")" = "$(jq -S 'del(.findings[].replay, .findings[].patch, .settings)' "$2")" ]
}
rm -rf perdure.out/3
ln -sfn 2 perdure.out/last
"$perdure" merge -q -o perdure.out/all perdure.out/* >out 2>err
"$perdure" merge -q -o - perdure.out/1 perdure.out/2 >two.json 2>err
same perdure.out/all/result.json two.json
ok $? 'last is one of the numbered runs' out
"$perdure" merge -q -o perdure.out/all perdure.out/* perdure.out/1/result.json >out 2>err
same perdure.out/all/result.json two.json
ok $? 'and what is replaced is no part of itself' out
again 'a finding of a joined result' "$perdure" replay --out perdure.out/all "$first"
jq -e '(.settings | length) == 2 and (.findings | map(.replay) | all(contains("/all ")))' perdure.out/all/result.json >/dev/null
ok $? 'which has the settings of both runs' perdure.out/all/result.json
again 'by the command that it names' env PATH="$PWD/bin:$PATH" sh -c "$(jq -r .findings[0].replay perdure.out/all/result.json)"
"$perdure" report --explain perdure.out/all >out 2>err
[ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q 'results of several runs' err
ok $? 'a report explains one run at a time' err

# A witness that leads nowhere.
mkdir edited
for choices in c0 '' 'v1' 'c1 t1'; do
	jq --arg c "$choices" '.findings |= map(.witness.choices = $c | del(.witness.crashes))' perdure.out/1/result.json \
		>edited/result.json
	"$perdure" replay --out edited "$first" >out 2>err
	[ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q "this finding's witness" err
	ok $? "a witness '$choices' is refused" err
done

# What goes out of the directory has nothing of the environment, and nothing of standard input.
echo secret | SECRET=1 PMEM_SECRET=1 "$perdure" check -q --only crash --json out.json --pm '*.pm' ./words words.pm x >text 2>&1
jq -e '.settings[0] | .environment.PMEM_SECRET == "1" and .environment.SECRET == null and .stdin == "secret\n"' \
	perdure.out/last/result.json >/dev/null
ok $? 'result.json has what a replay needs' perdure.out/last/result.json
"$perdure" report --format json -o report.json perdure.out/last >text 2>&1
"$perdure" merge -q -o merged.json perdure.out/last >text 2>&1
! grep -qi secret out.json report.json merged.json &&
	jq -e '.settings[0] | .environment == null and .stdin == true and .program[1] == "words.pm"' out.json >/dev/null
ok $? '--json, report and merge leave out what is nobody else'"'"'s business' out.json
"$perdure" replay --out out.json "$(jq -r '.findings[0].id' out.json)" >out 2>err
[ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q 'standard input is not in' err
ok $? 'and a replay from there says what is missing' err
"$perdure" check -q --only crash --json out.json --pm '*.pm' ./words words.pm x </dev/null >text 2>&1
mkdir elsewhere
cp perdure.out/last/result.json elsewhere
again 'result.json is all that a replay needs' "$perdure" replay --out elsewhere "$(id)"

# Standard input that is too large for that stays in its file.
head -c 17000000 /dev/zero | "$perdure" check -q --only crash --pm '*.pm' ./words words.pm x >text 2>&1
[ "$(jq '.settings[0].stdin' perdure.out/last/result.json)" = true ] && [ "$(stat -c %s perdure.out/last/stdin)" = 17000000 ]
ok $? 'a large input is a file' text
again 'and is replayed' "$perdure" replay "$(id)"

# A directory as it was before the settings were in the result.
mkdir old
jq '.settings[0] + {schema: 1, stdin: true}' perdure.out/1/result.json >"old/settings.json"
jq -j '.settings[0].stdin' perdure.out/1/result.json >"old/stdin"
jq 'del(.settings, .findings[].witness.settings, .findings[].witness.schedule)' perdure.out/1/result.json >"old/result.json"
again 'a directory of before' "$perdure" replay --out old "$first"
"$perdure" merge -q -o both perdure.out/2 old >text 2>&1
again 'which is joined with others, and keeps its own command' env PATH="$PWD/bin:$PATH" sh -c \
	"$(jq -r ".findings[] | select(.id == \"$first\").replay" both/result.json)"
rm "old/settings.json"
"$perdure" replay --out old "$first" >out 2>err
[ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q 'does not say what was run; run perdure check again' err
ok $? 'without its settings' err
finish
