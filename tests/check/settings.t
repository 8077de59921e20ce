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
grep -q "^finding $first is of an earlier run: perdure.out/2" out
ok $? 'which is named' out
"$perdure" replay 0123456789 >out 2>err
[ $? = 2 ] && grep -q "no finding 0123456789 in any run of 'perdure.out'" err
ok $? 'an id of no run' err

# A run counts once in a merge, by whatever names.
rm -rf perdure.out/3
ln -sfn 2 perdure.out/last
"$perdure" merge -q -o perdure.out/all perdure.out/* >out 2>err
"$perdure" merge -q -o - perdure.out/1 perdure.out/2 >two.json 2>err
[ "$(jq -S 'del(.findings[].replay)' perdure.out/all/result.json)" = "$(jq -S 'del(.findings[].replay)' two.json)" ]
ok $? 'last is one of the numbered runs' out
"$perdure" merge -q -o perdure.out/all perdure.out/* perdure.out/1/result.json >out 2>err
[ "$(jq -S 'del(.findings[].replay)' perdure.out/all/result.json)" = "$(jq -S 'del(.findings[].replay)' two.json)" ]
ok $? 'and what is replaced is no part of itself' out
finish
