#!/bin/sh
# perdure explore from the command to the replay: a bug behind a parser, with the input that leads there; ends of the program;
# stopping and going on; programs that cannot be explored.
. "$(dirname "$0")/../lib/run.sh"
symbolic() {
	name=$1
	shift
	compile "$perdure" cc --symbolic -g -O1 -o "$name" "$@"
}
symbolic parser -DBUG "$top/examples/parser.c"
symbolic ends -I"$top/include" "$here/ends.c"
instrument plain "$top/examples/parser.c"
last=perdure.out/last/result.json

"$perdure" explore --pm '*.pm' --sym-stdin 4 ./parser my.pm >out 2>err
[ $? = 1 ] && grep -q '^lint/missing-flush .* stored at parser.c' out
ok $? 'the bug behind two commands is found' out
paths=$(jq .stats.paths $last)
input=$(jq -r '.findings[0].facts.input_dir' $last)
jq -e '.findings[0].facts.input | startswith("stdin \"p")' $last >/dev/null
ok $? 'with its input, in words' $last
[ "$(wc -c <"perdure.out/last/$input/stdin")" = 4 ] && [ "$(ls perdure.out/last/inputs | wc -l)" = "$paths" ]
ok $? 'and as a file; one for each path' out
id=$(jq -r '.findings[0].id' $last)
"$perdure" replay "$id" --input kept >out 2>err
[ $? = 1 ] && grep -q '^replayed: ' out && cmp -s kept/stdin "perdure.out/last/$input/stdin"
ok $? 'it is replayed, and the input kept' out
"$perdure" lint --only missing-flush --pm '*.pm' --input kept ./plain my.pm >out 2>err
[ $? = 0 ]
ok $? 'the fixed program is clean on it' out
[ ! -e my.pm ]
ok $? 'the PM file was never made'

"$perdure" explore -q --pm '*.pm' --sym-stdin 4 -j1 --max-paths 5 --out cut ./parser my.pm >out 2>err
grep -q -- '--max-paths 5' out && [ -s cut/state ]
ok $? 'stopped after some paths: reported, and what is left is kept' out
"$perdure" explore -q --pm '*.pm' --sym-stdin 4 --resume cut ./parser my.pm >out 2>err
[ "$(jq .stats.paths cut/result.json)" = "$paths" ] && [ ! -e cut/state ] && jq -e '.findings | length == 1' cut/result.json >/dev/null
ok $? 'gone on with: the same paths, the same finding' out
"$perdure" explore -q --pm '*.pm' --sym-stdin 5 --resume perdure.out/last ./parser my.pm >out 2>err
[ $? = 2 ]
ok $? 'nothing to go on with' err

# The same paths with the same inputs, in the worker itself (where the kernel lets us) and in processes of their own.
symbolic kv -DCOMMANDS=2 "$top/bench/explore_kv.c"
for how in '' --no-in-place; do
	"$perdure" explore -q --pm '*.pm' --sym-stdin 4 -j1 $how --out runs$how ./kv >out 2>err
	cat runs$how/inputs/*/stdin >all$how
done
jq -e '.stats.runs_in_place == 0 and .stats.runs_forked == .stats.runs' runs--no-in-place/result.json >/dev/null &&
	jq -e '.stats.paths == 148 and .stats.runs_in_place + .stats.runs_forked == .stats.runs' runs/result.json >/dev/null
ok $? 'runs in place, and in processes of their own' runs/result.json
[ -s all ] && cmp -s all all--no-in-place
ok $? 'lead to the same inputs' runs/result.json

"$perdure" explore --pm '*.pm' --sym-stdin 2 --path-limit 200ms ./ends my.pm >out 2>err
[ $? = 1 ] && grep -q '^explore/signal .*SIGSEGV at ends.c:.*with stdin "z' out
ok $? 'a signal: confirmed, with place and input' out
grep -q '^explore/abort .* at ends.c:.*with stdin "ab"' out
ok $? 'an assertion' out
grep -q '^explore/hang .*ends.c:.*with stdin "hi"' out
ok $? 'a hang' out
jq -e '[.findings[] | select(.kind | startswith("explore/"))] | all(.confirmed)' $last >/dev/null
ok $? 'all of them confirmed' $last

symbolic order "$here/order.c"
"$perdure" explore --pm '*.pm' --sym-stdin 4 ./order >out 2>err
[ $? = 0 ] && jq -e '.complete and .stats.paths == 2 and .stats.pm_sites_reached >= 4' $last >/dev/null
ok $? 'lint sees no order: clean, and complete' out
"$perdure" explore --check --pm '*.pm' --sym-stdin 4 ./order >out 2>err
[ $? = 1 ] && grep -q '^crash/recovery-abort .*order.c' out && grep -q 'input     stdin "set' out &&
	jq -e '[.findings[] | select(.kind == "crash/recovery-abort")] | length == 1 and all(.confirmed)' $last >/dev/null
ok $? '--check: the crash bug behind the word, with its input' out

"$perdure" explore -q --pm '*.pm' --sym-stdin 4 ./plain my.pm >out 2>err
[ $? = 2 ] && grep -q "perdure cc --symbolic'" err
ok $? 'a program that was not built for it' err
"$perdure" explore -q --pm '*.pm' --sym-stdin 4 /bin/true >out 2>err
[ $? = 2 ] && grep -q "nothing of '/bin/true' was compiled .*CC='perdure cc --symbolic'" err
ok $? 'a program that was not built with us at all' err
"$perdure" explore -q --pm '*.pm' ./parser my.pm >out 2>err
[ $? = 2 ] && grep -q 'never used its symbolic input' err
ok $? 'nothing is symbolic' err

# What is in a PM file that is there, not only in one that the program makes.
symbolic recovery -DFIXED=0 -I"$top/include" "$top/bugs/explore-recovery/case.c"
dd if=/dev/zero of=there.pm bs=4096 count=2 2>/dev/null
"$perdure" explore -q --pm '*.pm' --sym-pm there.pm:0+3 ./recovery there.pm >out 2>err
[ $? = 1 ] && jq -e '.findings[0].facts.input | startswith("there.pm+0 ")' $last >/dev/null
ok $? 'a PM file that is there' out
finish
