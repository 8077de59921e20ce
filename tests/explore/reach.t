#!/bin/sh
# What there is to be reached: branches and sites that may change PM, of the program and its libraries, in the result.
. "$(dirname "$0")/../lib/run.sh"
last=perdure.out/last/result.json

# count WHAT LEVEL REACHED PM-SITES. Function pointers of one kind are not told apart, so scratch() counts.
count() {
	"$perdure" explore -q --pm '*.pm' --sym-stdin 2 -j1 ./main my.pm >out 2>err
	jq -e ".stats.pm_sites_reached == $3 and .stats.pm_sites == $4" $last >/dev/null
	ok $? "$1, $2: $3 of $4 sites that may change PM" $last
	# Six of two ways depend on the input; what a call returned might, as far as the compiler knows
	jq -e '.stats.branches_covered == 12 and .stats.branches >= 20 and .stats.branches <= 28' $last >/dev/null
	ok $? "$1, $2: branches" $last
}
for level in -O0 -O2; do
	compile "$perdure" cc --symbolic -g $level -shared -fPIC -o libreach.so "$here/reach_lib.c"
	compile "$perdure" cc --symbolic -g $level -o main "$here/reach_main.c" -L. -lreach -Wl,-rpath,"$PWD"
	count 'a shared library' $level 4 5
	compile "$perdure" cc --symbolic -g $level -c -o lib.o "$here/reach_lib.c"
	compile "$perdure" cc --symbolic -g $level -c -o main.o "$here/reach_main.c"
	compile "$perdure" cc --symbolic -o main main.o lib.o
	count 'two objects' $level 4 5
done

"$perdure" explore --pm '*.pm' --sym-stdin 2 -j1 ./main my.pm >out 2>err
grep -q ', 12 of at most [0-9]* branches covered, 4 of at most 5 PM sites reached, ' out
ok $? 'in words' out

# Stopped and gone on: what was reached is not counted twice.
"$perdure" explore -q --pm '*.pm' --sym-stdin 2 -j1 --max-paths 4 --out cut ./main my.pm >out 2>err
"$perdure" explore -q --pm '*.pm' --sym-stdin 2 -j1 --resume cut ./main my.pm >out 2>err
jq -e '.complete and .stats.pm_sites_reached == 4 and .stats.pm_sites == 5 and .stats.branches_covered == 12' cut/result.json >/dev/null
ok $? 'gone on with: the same numbers' cut/result.json

# Every order of search comes to the same paths.
for search in pm coverage bfs dfs random; do
	"$perdure" explore -q --pm '*.pm' --sym-stdin 2 -j1 --search $search --out $search ./main my.pm >out 2>err
	jq -c '[.complete, .stats.paths, .stats.pm_sites_reached, .stats.branches_covered]' $search/result.json >$search.numbers
	cmp -s pm.numbers $search.numbers
	ok $? "--search $search: the same paths" $search.numbers
done
finish
