#!/bin/sh
# perdure lockset: its options, its report, --locks, confirmation, both front ends. The cases are in bugs/.
. "$(dirname "$0")/../lib/run.sh"
tmp=$dir
cd "$top" || exit 1

lockset() { # options... -- program: status, output in $tmp/out
	rm -f "$tmp"/*.pm
	(cd "$tmp" && "$perdure" lockset --out "$tmp/o" --pm '*.pm' "$@" >"$tmp/out" 2>&1)
}

build_both() { # name source flags...
	name=$1 source=$2
	shift 2
	"$perdure" cc -g -O1 -pthread -I"$top/include" "$@" -o "$tmp/$name" "$source" &&
		gcc -g -O1 -pthread -I"$top/include" "$@" -o "$tmp/$name.plain" "$source"
}

build_both fixed bugs/race-unlock-persist/case.c -DFIXED=1
build_both racy bugs/race-unlock-persist/case.c -DFIXED=0
build_both publish bugs/race-publish/case.c -DFIXED=1
build_both tolerant tests/lockset/tolerant.c
build_both readers tests/lockset/readers.c
build_both ticket tests/lockset/ticket.c -DBROKEN=0
build_both broken tests/lockset/ticket.c -DBROKEN=1
build_both modes tests/lockset/modes.c

# A lock that a thread takes both ways is shown where it was taken for this access.
lockset --no-confirm --json "$tmp/r.json" -- ./modes x.pm
python3 - "$tmp/r.json" tests/lockset/modes.c <<'PY'
import json, sys
at = {l.rstrip().split('//@ ')[1]: n for n, l in enumerate(open(sys.argv[2]), 1) if '//@' in l}
last = None
shown = set()
for f in json.load(open(sys.argv[1]))['findings']:
    for s in f['sites']:
        if s['role'] == 'lock':
            shown.add((last, s['line']))
        else:
            last = s['role']
assert shown == {('store', at['writes']), ('load', at['reads'])}, (shown, at)
PY
ok $? 'a lock is shown where it was taken in this way' "$tmp/out"

lockset --json "$tmp/r.json" -- ./racy x.pm
ok $(($? != 1)) 'a race: status 1' "$tmp/out"
python3 - "$tmp/r.json" bugs/race-unlock-persist/case.c <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
f, = r['findings']
roles = [s['role'] for s in f['sites']]
assert f['kind'] == 'lockset/persistent-race' and f['confirmed'] and f['fix'], f
assert f['message'].startswith('failed: recovery fails without the store'), f['message']
lines = {m: n for n, l in enumerate(open(sys.argv[2]), 1) for m in ('flush', 'load') if l.endswith('//@ %s\n' % m)}
assert '(at case.c:%d)' % lines['flush'] in f['message'] and 'case.c:%d' % lines['load'] in f['message'], f['message']
assert roles[:5] == ['store', 'lock', 'flush', 'load', 'lock'], roles
assert any(x.get('function') == 'writer' for x in [f['sites'][0]] + f['sites'][0].get('stack', []))
assert r['stats']['confirmed_recovery_fails'] == 1 and r['complete'], r
PY
ok $? 'store, its lock, flush, load, its lock; confirmed, with a fix' "$tmp/out"

# More loads than are told at once are all there; in the text the later ones are a line each.
lockset --no-confirm --json "$tmp/readers.json" -- ./readers x.pm
python3 - "$tmp/readers.json" tests/lockset/readers.c <<'PY'
import json, sys
want = [n for n, l in enumerate(open(sys.argv[2]), 1) if l.endswith('//@ load\n')]
f, = [f for f in json.load(open(sys.argv[1]))['findings'] if 'nothing makes it durable' not in f['message'] and
      any(s['role'] == 'flush' for s in f['sites'])]
assert sorted(s['line'] for s in f['sites'] if s['role'] == 'load') == want, f
assert '10 places read it' in f['message'], f['message']
PY
ok $? 'ten loads of one store' "$tmp/out"

lockset -- ./fixed x.pm
ok $? 'the lock is kept: status 0' "$tmp/out"

lockset --no-confirm --json "$tmp/p.json" -- ./racy x.pm
python3 - "$tmp/r.json" "$tmp/p.json" <<'PY'
import json, sys
a, b = (json.load(open(p)) for p in sys.argv[1:])
assert not b['findings'][0]['confirmed'] and a['findings'][0]['id'] == b['findings'][0]['id']
PY
ok $? '--no-confirm: the same finding, not confirmed' "$tmp/out"

lockset --no-init-removal --no-confirm -- ./publish x.pm
ok $(($? != 1)) '--no-init-removal: stores from before the publication count' "$tmp/out"
lockset -- ./publish x.pm
ok $? 'with it they do not' "$tmp/out"
lockset --condition buffered -- ./racy x.pm
[ $? = 3 ] && grep -q 'never called pd_durable' "$tmp/out"
ok $? '--condition buffered: without pd_durable nothing is clean' "$tmp/out"
lockset --condition sometimes -- ./racy x.pm
[ $? = 2 ] && grep -q 'durable or buffered' "$tmp/out"
ok $? '--condition: there are two' "$tmp/out"

lockset -- ./tolerant x.pm
ok $? 'a race that recovery puts up with does not decide the status' "$tmp/out"
grep -q '^lockset/benign-race' "$tmp/out"
ok $? 'it is a note' "$tmp/out"

# Locks that only the user knows.
for kind in '' .plain; do
	lockset --no-confirm --no-spin-locks -- ./ticket$kind x.pm
	ok $(($? != 1)) "ticket lock$kind, not named: not known" "$tmp/out"
	lockset --no-confirm -- ./ticket$kind x.pm
	ok $(($? != ${#kind} > 0)) "ticket lock$kind, not named: recognised in an instrumented program" "$tmp/out"
	lockset --locks "$top/tests/lockset/ticket.locks" -- ./ticket$kind x.pm
	ok $? "ticket lock$kind, named: nothing is wrong" "$tmp/out"
	lockset --no-confirm --locks "$top/tests/lockset/ticket.locks" -- ./broken$kind x.pm
	ok $(($? != 1)) "ticket lock$kind, named: the flush is after the release" "$tmp/out"
done
for f in pthread c11 pmemobj spin; do
	lockset --locks $f -- ./fixed x.pm
	ok $? "--locks $f comes with perdure" "$tmp/out"
done
# A name that nothing has is more likely a mistake than a wish.
printf 'acquire ticket_lock 1 always\nrelease ticket_unlokc 1 always # so\n' >"$tmp/typo.locks"
for kind in '' .plain; do
	lockset --no-confirm --json "$tmp/r.json" --locks "$tmp/typo.locks" -- ./ticket$kind x.pm
	[ "$(grep -c 'typo.locks:' "$tmp/out")" = 1 ] && grep -q "typo.locks:2: no call of 'ticket_unlokc' was seen" "$tmp/out" &&
		grep -q '"locks_never_called": *1' "$tmp/r.json"
	ok $? "ticket lock$kind: a name that was never called is told" "$tmp/out"
done
lockset --locks c11 -- ./fixed x.pm
grep -q 'locks c11: none of its functions was called' "$tmp/out"
ok $? 'a set of which nothing was called' "$tmp/out"
lockset --locks "$top/tests/lockset/ticket.locks" -- ./ticket x.pm
! grep -q 'no call of\|of its functions was called' "$tmp/out"
ok $? 'nothing is said where they are called' "$tmp/out"
echo 'acquire ticket_lock first' >"$tmp/bad.locks"
lockset --locks "$tmp/bad.locks" -- ./fixed x.pm
ok $(($? != 2)) '--locks: a line that is none is a usage error' "$tmp/out"
grep -q 'bad.locks:1:' "$tmp/out"
ok $? 'with its place' "$tmp/out"
lockset --locks nowhere.locks -- ./fixed x.pm
ok $(($? != 2)) '--locks: a file that is not there' "$tmp/out"
lockset --confirm never -- ./fixed x.pm
ok $(($? != 2)) '--confirm takes a time' "$tmp/out"

lockset --json "$tmp/v.json" -- ./racy.plain x.pm
ok $(($? != 1)) 'an ordinary binary' "$tmp/out"
grep -q '"confirmed": *false' "$tmp/v.json"
ok $? 'cannot be confirmed' "$tmp/out"

# The schedule of long runs: turns at every access in the beginning, rarer ones later, and the same again.
cat >"$tmp/long.c" <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile long *p;
static void *work(void *at)
{
	for (int i = 0; i < 20000; i++)
		p[(long)at * 8] = i;
	return 0;
}
int main(void)
{
	int fd = open("x.pm", O_RDWR | O_CREAT, 0600);
	pthread_t t[2];
	ftruncate(fd, 4096);
	p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
}
C
turns() { # SEED FILE: how often the thread changes in the first and the last 8000 of all stores
	(cd "$tmp" && rm -f x.pm && "$perdure" trace --schedule sparse --seed $1 --pm '*.pm' -- ./long 2>&1) |
		awk '$2 == "store" { print $1 }' >"$2"
	head -8000 "$2" | uniq | wc -l
	head -30000 "$2" | tail -8000 | uniq | wc -l
}
"$perdure" cc -w -pthread -o "$tmp/long" "$tmp/long.c"
set -- $(turns 1 "$tmp/one")
[ $# = 2 ] && [ "$1" -gt 2000 ] && [ "$2" -gt 5 ] && [ "$2" -lt 1500 ]
ok $? "sparse: $1 turns at first, $2 later"
turns 1 "$tmp/again" >/dev/null
cmp -s "$tmp/one" "$tmp/again" && [ -s "$tmp/one" ]
ok $? 'sparse: one seed, one schedule'
turns 2 "$tmp/again" >/dev/null
! cmp -s "$tmp/one" "$tmp/again"
ok $? 'sparse: another seed, another one'

rm -f "$tmp"/*.pm
(cd "$tmp" && ./fixed x.pm && cp x.pm before && "$perdure" lockset -q --out o --pm '*.pm' -- ./racy x.pm >out 2>&1; cmp -s x.pm before)
ok $? 'the PM file is not changed'
finish
