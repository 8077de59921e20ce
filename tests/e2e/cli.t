#!/bin/sh
# cli.t - what somebody meets who does not know perdure yet: options, help, and mistakes of their own. TAP.
. "$(dirname "$0")/../lib/run.sh"
sep=
instrument cli "$top/tests/e2e/cli.c"

# What is to be written is tried before the program runs, and is left as it was.
echo kept >kept
ln -s kept link
for verb in check lint lockset; do
	for option in --json --gen-suppressions --out; do
		"$perdure" $verb $option none/there --pm '*.pm' ./cli right a.pm >text 2>err
		[ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q "'none/there'" err && [ ! -e ran ]
		ok $? "$verb $option to a place that is not there: told before the run" err
	done
done
"$perdure" check --json . --pm '*.pm' ./cli right a.pm >text 2>err
[ $? = 2 ] && [ ! -e ran ]
ok $? 'to a directory' err
"$perdure" check --json link --pm '*.pm' ./cli fails a.pm >text 2>err
[ "$(cat kept)" = kept ] && [ -L link ] && [ "$(ls kept*)" = kept ]
ok $? 'what is there stays where there is no result' err
rm -f ran

# A program that fails by itself, and one that only starts others.
for verb in check lint lockset trace; do
	"$perdure" $verb --pm '*.pm' ./cli fails a.pm >text 2>err
	[ $? = 2 ] && grep -q "'./cli' .*exited with status 2" err && grep -q 'the moon is full' err && ! grep -q 'matches was mapped' err
	ok $? "$verb: the program ends with status 2, and what it printed" err
	"$perdure" $verb --pm '*.pm' sh -c './cli right a.pm; true' >text 2>err
	[ $? = 2 ] && grep -q "^perdure: 'sh' .*not followed; give " err && ! grep -q 'matches was mapped' err
	ok $? "$verb: a shell around it" err
done
cc -O1 -o plain "$top/tests/e2e/cli.c"
"$perdure" check --recover 'sh -c ./cli' --pm '*.pm' ./cli right a.pm >text 2>err
[ $? = 2 ] && grep -q "^perdure: 'sh' starts another program" err
ok $? 'check: a shell around the recovery' err
"$perdure" check --ok-exit 0,2 --recover './plain fails a.pm' --pm '*.pm' ./cli right a.pm >text 2>err
[ $? = 3 ] && grep -q "incomplete: nothing was tested: recovery ('./plain') .* it never opened a PM file; --recover" text
ok $? 'check: a recovery that never looks at PM' text

# Help about a verb, in both ways; and the kinds that --only takes.
for verb in check lint linear lockset trace litmus replay report explain merge pmdk doctor; do
	"$perdure" help $verb >a 2>err && "$perdure" $verb --help >b 2>err && grep -q "^Usage: perdure $verb" a && cmp a b >err
	ok $? "help $verb" err
done
"$perdure" help nothing >text 2>err
[ $? = 2 ] && grep -q "no verb 'nothing'" err
ok $? 'help about a verb that is not there' err
for kind in check:torn/block-store check:crash/recovery-hang lint:missing-flush lockset:write-race; do
	"$perdure" help ${kind%%:*} | grep -q "^  ${kind#*:}  "
	ok $? "the kinds are listed: $kind"
done

# Every kind is explained: what it means, an example, why it matters, how to fix it.
"$perdure" explain >kinds 2>err
is "$(sed -n 's/^PD_KIND([A-Z_]*, "\([^"]*\)".*/\1/p' "$top/src/finding/kinds.def")" "$(cut -d' ' -f1 kinds)" 'explain lists every kind'
lacking=$(cut -d' ' -f1 kinds | while read -r kind; do
	"$perdure" explain "$kind" >text 2>&1
	[ "$(head -1 text | cut -d' ' -f1) $(sed -n 's/^  \([a-z]*\) *[^ ].*/\1/p' text | xargs)" = "$kind means example matters fix" ] || echo "$kind"
done)
is '' "$lacking" 'and explains each'
"$perdure" explain missing-flush torn >text 2>err
is 'lint/missing-flush torn/split-store torn/store torn/block-store torn/volatile-store torn/compared-store torn/unchanged-store torn/checksummed-store' \
	"$(grep -o '^[a-z]*/[a-z-]*' text | xargs)" 'by what follows the engine, and by the engine'
"$perdure" explain rust >text 2>err
[ $? = 2 ] && grep -q "no kind of finding 'rust'" err
ok $? 'a kind that is not there' err

# --only is the same everywhere, and a result says that it is about that only.
for only in torn crash block-store torn/block-store 'recovery-*'; do
	"$perdure" check --only "$only" --pm '*.pm' ./cli right a.pm >text 2>err
	[ $? = 0 ] && grep -q '^perdure check: clean ' text && grep -qF " for --only $only" text
	ok $? "check --only $only" text
done
"$perdure" lint --only extra-flush --pm '*.pm' ./cli forgets a.pm >text 2>err
[ $? = 0 ] && grep -qF 'clean for --only extra-flush' text
ok $? 'lint --only extra-flush' text
"$perdure" lint --only lint --pm '*.pm' ./cli forgets a.pm >text 2>err
[ $? = 1 ] && grep -q '^lint/missing-flush' text
ok $? 'lint --only lint: all of the engine' text
"$perdure" lint --no-perf --pm '*.pm' ./cli twice a.pm >text 2>err
[ $? = 0 ] && grep -qF 'clean for correctness only (--no-perf)' text
ok $? 'lint --no-perf says so' text
for verb in check lint lockset; do
	"$perdure" $verb --only rust --pm '*.pm' ./cli right a.pm >text 2>err
	[ $? = 2 ] && grep -qF "$verb: --only 'rust': $verb has no such kind of finding; 'perdure $verb --help' lists them" err
	ok $? "$verb --only with a kind that it has not" err
done

# Results are kept, as README says how to get rid of them.
rm -rf perdure.out
for i in 1 2; do
	"$perdure" lint -q --pm '*.pm' ./cli right a.pm >text 2>err && "$perdure" lint -q --out same --pm '*.pm' ./cli right a.pm >text 2>err
done
[ "$(ls perdure.out | tr '\n' ' ')" = '1 2 last ' ] && [ "$(ls same)" = result.json ] && grep -q 'rm -r perdure.out' "$top/README.md"
ok $? 'a directory for each run, or the same one again' err

# One note, two notes.
notes() { # how many
	printf '{"schema": 1, "tool": "perdure", "version": "0", "verb": "lint", "command": [], "complete": true, "limits": [], '
	printf '"findings": ['
	for i in $(seq "$1"); do
		printf '%s{"id": "000000000%s", "kind": "lint/extra-at-times", "message": "m", "confirmed": false, "sites": []}' "$sep" "$i"
		sep=,
	done
	printf '], "stats": {}, "losses": {}}'
	sep=
}
notes 1 >1.json
notes 2 >2.json
"$perdure" report -q 1.json >text && "$perdure" report -q 2.json >>text
printf 'perdure lint: clean; %s\n' '1 note' '2 notes' | cmp - text
ok $? 'one note, two notes' text

# README's first example: a source in another folder. The headline names the call in which power failed.
mkdir sub && cp "$top/examples/notes.c" sub
instrument notes -DBUG sub/notes.c
"$perdure" check --only crash --pm '*.pm' ./notes my.pm first second >text 2>err
[ $? = 1 ] && grep -q "after a crash during persist() at notes.c:[0-9]*: the store at notes.c:[0-9]* was lost, so" text &&
	grep -q '^  fail  *sub/notes.c:[0-9]*' text
ok $? 'one file has one name, wherever it comes from' text
finish
