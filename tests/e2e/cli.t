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

# Something else than a program, or one that cannot run like this.
mistake() { # NAME MESSAGE COMMAND...
	name=$1 message=$2
	shift 2
	"$perdure" "$@" >text 2>err
	[ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -qF -- "$message" err
	ok $? "$name" err
}
mistake 'a verb with a letter too few' "there is no verb 'chek'; did you mean 'check'? 'perdure help' lists them" chek --pm '*.pm' ./cli
mistake 'a verb that is nothing like one' "there is no verb 'frobnicate'; 'perdure help' lists them" frobnicate
mistake 'a program in place of a verb' "'./cli' is a program, not a verb; name one before it, as in 'perdure check ./cli'" ./cli a.pm
mistake 'options before the verb' "options follow a verb, as in 'perdure check --pm'" --pm '*.pm' check ./cli
mistake 'an option with two letters swapped' "there is no option '--mp'; did you mean '--pm'? 'perdure check --help' lists them" check --mp '*.pm' ./cli
mistake 'a long option with one dash' "there is no option '-pm'; did you mean '--pm'? 'perdure check" check -pm '*.pm' ./cli
mistake 'several letters, of which one is wrong' "there is no option '-z'" check -z --pm '*.pm' ./cli
mistake 'an option that is nothing like one' "there is no option '--frobnicate'; 'perdure check --help' lists them" check --frobnicate ./cli
mistake 'options behind the program' "'--pm' follows the program, which would get it; write perdure's options before './cli'; nothing" check ./cli right a.pm --pm '*.pm'
mistake 'an option that has taken the program' "--pm takes a value, and has taken the program './cli'; write --pm VALUE ./cli" check --pm ./cli right a.pm
mistake 'and nothing is left' "--pm takes a value, and has taken the program './cli'" lint --pm ./cli
mistake 'a program and its arguments in quotes' "there is no program './cli right a.pm'; do not quote the program and its" check --pm '*.pm' './cli right a.pm'
mistake 'a kind that another verb reports' "--only 'lint/missing-flush': check has no such kind of finding, it is one of 'lint'; 'perdure check" check --only lint/missing-flush --pm '*.pm' ./cli
mistake 'half an id' "is not the id of a finding (ten hex digits); 'perdure report' lists" replay cd255ae73
mistake 'two ids' "'cd255ae73e' is one argument too many" fix 0123456789 cd255ae73e
mistake 'a kind with a letter too few' "there is no kind of finding 'missing-flus'; did you mean 'missing-flush'? 'perdure explain'" explain missing-flus
mistake 'the id of a finding' "'cd255ae73e' is the id of a finding; give its kind" explain cd255ae73e
mkdir -p runs/last
echo {} >runs/last/result.json
mistake 'a directory with several results' "'runs/' holds the results of several runs; name one of them, as in 'runs/last'" report runs/
mistake 'a directory without one' "'.' holds no result" report .
rm -r runs
touch a.pm b.pm
mistake 'a pattern that the shell has expanded' "'b.pm' is a file, not a program; if it comes from a pattern, quote that" check --pm a.pm b.pm ./cli right a.pm
rm a.pm b.pm
mistake 'a program of this directory' "for the one in this directory write './cli'" check --pm '*.pm' cli right a.pm
mistake 'a program that is nowhere' "there is no program 'never-written' in PATH" check --pm '*.pm' never-written
PATH="$PATH:$PWD" mistake 'a directory of PATH' "there is no program '.' in PATH" check --pm '*.pm' .
mistake 'a directory' 'Is a directory; name a file' check --pm '*.pm' ./
printf '#!/bin/sh\n\n# cli - temporary wrapper script for .libs/cli\n# Generated by libtool (GNU libtool) 2.4.7\n' >wrapper
chmod +x wrapper
mistake "libtool's script" "begin with 'libtool --mode=execute perdure'" lint --pm '*.pm' ./wrapper
printf 'void __asan_init(void);\nvoid __asan_init(void)\n{\n}\nint main(void)\n{\n\treturn 0;\n}\n' >asan.c
cc -rdynamic -o asan asan.c
mistake 'a sanitizer in Valgrind' "'./asan' was built with -fsanitize=address" lint --pm '*.pm' ./asan
mkdir empty
printf 'int main(void)\n{\n\treturn 0;\n}\n' >musl.c
cc -o musl musl.c -Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1
mistake 'another C library' "'./musl' is linked with musl, and the runtime needs glibc" check --pm '*.pm' ./musl
for verb in replay fix; do
	cd empty
	mistake "$verb where there is no result" "this directory has no 'perdure.out'" $verb 0123456789
	cd ..
done
"$perdure" check -q --pm '*.pm' ./cli fails a.pm >text 2>err
[ $? = 2 ] && grep -q 'the moon is full' err
ok $? 'check -q: a program that fails, and why' err
"$perdure" cc -m32 -c asan.c 2>err
[ $? = 1 ] && grep -q 'perdure compiles for x86-64 only' err
ok $? 'cc -m32' err
"$perdure" cc -fsanitize=address -c asan.c 2>err && [ ! -s err ] && "$perdure" cc -fsanitize=address -o asan asan.o 2>err && grep -q '^perdure cc: note: building without -fsanitize=address' err
ok $? 'cc -fsanitize: a note, where it links' err

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
