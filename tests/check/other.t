#!/bin/sh
# A file that only recovery opens: what it holds is the same after every crash, and what is read after it is looked at.
. "$(dirname "$0")/../lib/run.sh"
instrument other "$top/tests/check/other.c"
./other make other.pm
ok $? 'another file'
for jobs in 1 2; do
	"$perdure" check -j$jobs --only crash --json r.json --recover './other recover x.pm other.pm' --pm '*.pm' \
		./other run x.pm >text 2>err
	[ $? = 1 ] && jq -e '.complete and (.findings | length) == 1' r.json >/dev/null
	ok $? "$jobs jobs: all that may be in the first file is looked at" text
	jq .stats.executions r.json >executions$jobs
done
cmp -s executions1 executions2
ok $? 'each recovery is executed once' executions1 executions2

# Not instrumented, and the flush makes no difference: the second crash point costs nothing, and nobody waits for it.
cp other.pm same.pm
for jobs in 1 2; do
	"$perdure" check -j$jobs --json r.json --recover 'cmp other.pm same.pm' --pm '*.pm' ./other make other.pm >text 2>err
	[ $? = 0 ] && jq -e '.complete and [.stats.executions, .stats.crash_points] == [2, 2]' r.json >/dev/null
	ok $? "$jobs jobs: cmp of two files" text
done

# What a file is cut by is gone, at once and for good.
"$perdure" check -j1 --only crash --json r.json --recover './other renewed new.pm' --pm '*.pm' ./other renew new.pm >text 2>err
[ $? = 0 ] && jq -e '.complete' r.json >/dev/null
ok $? 'a program that cuts its file short' text
for jobs in 1 2; do
	"$perdure" check -j$jobs --only crash --json r.json --recover './other cut same.pm' --pm '*.pm' ./other run same.pm >text 2>err
	[ $? = 3 ] && jq -e '.stats.executions == 2 and (.limits | length) == 1 and
		(.limits[0] | startswith("nothing was tested"))' r.json >/dev/null
	ok $? "$jobs jobs: a recovery that does" text
done

# What is not known in the end is reported.
"$perdure" check -j1 --only crash --json r.json --recover './other fickle same.pm ran' --pm '*.pm' \
	./other run same.pm >text 2>err
[ $? = 3 ] && [ -e ran ] && jq -e '(.complete | not) and (.limits[0] |
	test("not deterministic: .* ended after .*other.c:[0-9]+ had read PM"))' r.json >/dev/null
ok $? 'a recovery that does not come to where it came before' text
finish
