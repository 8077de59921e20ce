#!/bin/sh
# A folder of an input is given to lint and check: standard input, and arguments in place of @@; and explore refuses what
# makes no sense before anything runs.
. "$(dirname "$0")/../lib/run.sh"
instrument parser "$top/examples/parser.c"
instrument parser-bug -DBUG "$top/examples/parser.c"
mkdir -p in in2
printf 'p0d0' >in/stdin
printf 'args.pm' >in2/args
printf 'p1d1' >in2/stdin

# refused NAME STATUS WORDS COMMAND...: it ends with this status, and says so
refused() {
	name=$1 want=$2 words=$3
	shift 3
	"$@" >out 2>err
	status=$?
	[ $status = "$want" ] && grep -q -- "$words" err
	ok $? "$name (status $status)" err
}

"$perdure" lint --pm '*.pm' --input in ./parser-bug my.pm </dev/null >out 2>err
[ $? = 1 ] && grep -q '^lint/missing-flush .* stored at parser.c' out
ok $? 'lint: the input of the folder, not what there is' out
"$perdure" lint -q --pm '*.pm' --input in ./parser my.pm >out 2>err
ok $? 'the fixed program is clean on it' out
"$perdure" lint --pm 'args*.pm' --input in2 ./parser-bug @@ >out 2>err
[ $? = 1 ] && grep -q 'at args.pm+0x8' out
ok $? 'an argument @@ is one of the input' out
refused 'more @@ than the input has' 2 'arguments @@' "$perdure" lint --pm '*.pm' --input in2 ./parser @@ @@
refused 'a folder that is no input' 2 'is not an input folder' "$perdure" check --pm '*.pm' --input . ./parser my.pm

"$perdure" check --pm '*.pm' --input in ./parser my.pm </dev/null >out 2>err
jq -e '.stats.crash_points > 0' perdure.out/last/result.json >/dev/null
ok $? 'check: crashes of a run on that input' out
jq -e '.settings[0].input.stdin == "p0d0"' perdure.out/last/result.json >/dev/null
ok $? 'and the result has it' perdure.out/last/result.json

refused '@@ without a length' 2 '--sym-args' "$perdure" explore --pm '*.pm' ./parser @@
refused 'lengths without @@' 2 '@@ 1 times' "$perdure" explore --pm '*.pm' --sym-args 1,2 ./parser @@
refused 'a length that is none' 2 '--sym-args takes' "$perdure" explore --pm '*.pm' --sym-args 0 ./parser
refused 'a part of PM without its length' 2 '--sym-pm takes' "$perdure" explore --pm '*.pm' --sym-pm my.pm:8 ./parser my.pm
refused 'more than an input can have' 2 'at most' "$perdure" explore --pm '*.pm' --sym-stdin 65536 ./parser my.pm
refused 'a search that there is not' 2 '--search' "$perdure" explore --pm '*.pm' --sym-stdin 1 --search deep ./parser my.pm
refused 'too little memory' 2 '--memory takes' "$perdure" explore --pm '*.pm' --memory 1M ./parser my.pm
refused 'nothing to go on with' 2 'nothing is left to do' "$perdure" explore --pm '*.pm' --sym-stdin 1 --resume in ./parser my.pm
finish
