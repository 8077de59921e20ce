#!/bin/sh
# Wrong litmus input: one line that says where and what, the right exit status, nothing left behind.
. "$(dirname "$0")/../lib/tap.sh"
perdure=${PERDURE:-build/perdure}
case $perdure in /*) ;; *) perdure=$PWD/$perdure ;; esac
dir=$(mktemp -d) && cd "$dir" || exit 1
trap 'rm -rf "$dir"' EXIT
# bad NAME STATUS PATTERN: runs on file t.litmus made from stdin
bad() {
	cat >t.litmus
	out=$("$perdure" litmus t.litmus 2>&1)
	status=$?
	lines=$(printf '%s\n' "$out" | wc -l)
	[ $status = "$2" ] && [ "$lines" = 1 ] && printf '%s\n' "$out" | grep -Eq -- "$3"
	ok $? "$1" "status $status, $lines lines: $out"
}

bad 'empty file' 2 '^t.litmus:1: no thread' </dev/null
bad 'only comments' 2 '^t.litmus:2: no thread' <<-X
	# a question
	# another
X
bad 'unknown instruction' 2 "^t.litmus:2: unknown instruction 'clfush'; there are st" <<-X
	# q
	T0: st x 1; clfush x
X
bad 'missing operand' 2 "^t.litmus:1: expected a number or a register, not 'the end" <<-X
	T0: st x
X
bad 'too many operands' 2 "^t.litmus:1: unexpected '2'; it is 'st VAR VALUE'" <<-X
	T0: st x 1 2
X
bad 'a missing semicolon' 2 "^t.litmus:1: unexpected 'sfence'" <<-X
	T0: clwb x sfence
X
bad 'unknown key' 2 "^t.litmus:2: unknown key 'image:'" <<-X
	T0: st x 1
	image: x=1
X
bad 'no key' 2 "^t.litmus:1: expected 'T0:'" <<-X
	st x 1
X
bad 'a thread twice' 2 "^t.litmus:2: there are two threads 'T0'" <<-X
	T0: st x 1
	T0: st y 1
X
bad 'a variable twice' 2 "^t.litmus:2: the variable 'a' is there already" <<-X
	line: a b
	line: a c
	T0: st a 1
X
bad 'a register of two threads' 2 '^t.litmus:2: r0 is used by two threads' <<-X
	T0: ld r0 x
	T1: ld r0 y
X
bad 'a set with an impossible variable' 2 "^t.litmus:2: the set names 'z', which no thread uses" <<-X
	T0: st x 1
	images: x=0 z=1
X
bad 'a set that leaves a variable out' 2 "^t.litmus:2: an element of the set does not say what 'y' is" <<-X
	T0: st x 1; st y 1
	images: x=0 | x=1 y=1
X
bad 'an element twice' 2 '^t.litmus:2: an element stands in the set twice' <<-X
	T0: st x 1
	images: x=0 | x=0
X
bad 'a value that does not fit' 2 "^t.litmus:3: 256 does not fit into 'b'" <<-X
	line: b:1
	T0: st b 1
	images: b=256
X
bad 'a bad size' 2 "^t.litmus:1: the size after '.' must be" <<-X
	T0: st.3 x 1
X
bad 'a number too large' 2 '^t.litmus:1: expected a number' <<-X
	T0: st x 99999999999999999999
X
bad 'an unknown model' 2 "^t.litmus:1: unknown model 'pram'" <<-X
	model: pram
	T0: st x 1
X
bad 'crash without recovery' 2 "^t.litmus:2: 'crash:' without a thread after it" <<-X
	T0: st x 1
	crash:
X
bad 'an outcome of a register that is not there' 2 "^t.litmus:2: the set names 'r1'" <<-X
	T0: ld r0 x
	outcomes: r1=0
X
bad 'an address beyond everything' 2 'reaches beyond the last variable' <<-X
	T0: st x+100000 1
X
printf 'T0: st x \000\377\n' >rubbish
bad 'binary rubbish' 2 '^t.litmus:1: ' <rubbish
rm rubbish

rm -f t.litmus
out=$("$perdure" litmus nothere.litmus 2>&1)
[ $? = 2 ] && printf '%s' "$out" | grep -q "^perdure: cannot read 'nothere.litmus'"
ok $? 'a file that is not there' "$out"
printf 'T0: st x 1\nimages: x=0 | x=1\n' >t.litmus
"$perdure" litmus t.litmus >/dev/full 2>err
[ $? != 0 ] && [ "$(wc -l <err)" = 1 ]
ok $? 'full disk' err
printf 'T0: st x 1; st y 1; st z 1\nT1: st x 2; st y 2; st z 2\nimages: x=0 y=0 z=0\n' >t.litmus
"$perdure" litmus --max-states 10 t.litmus >out 2>&1
[ $? = 3 ] && grep -q 'given up after' out
ok $? 'a limit is said and is status 3' out
"$perdure" litmus t.litmus >out 2>&1
[ $? = 1 ] && grep -q 'allowed, but not in the file' out
ok $? 'a wrong set is status 1' out
[ "$(ls)" = 'err
out
t.litmus' ]
ok $? 'nothing is left behind' "$(ls)"
finish
