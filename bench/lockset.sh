#!/bin/sh
# perdure lockset on growing runs: CPU time against native, memory of the engine and of the process.
# The start (the same program with 8 operations) is taken out of both times; each is the least of several.
# Usage: bench/lockset.sh BUILD-DIR
set -eu
build=$(cd "$1" && pwd)
bench=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
${CLANG:-clang-19} -g -O2 -w -pthread -o native "$bench/race_map.c"
"$build/perdure" cc -g -O2 -w -pthread -o watched "$bench/race_map.c"
${CLANG:-clang-19} -g -O2 -w -pthread -o phash "$bench/phash.c"
"$build/perdure" cc -g -O2 -w -pthread -o phash.i "$bench/phash.c"
cat >measure.py <<'PY'
import json, os, resource, subprocess, sys

THREADS = 8
LOCKSET = [sys.argv[1], 'lockset', '-q', '--no-confirm', '--out', 'o', '--json', 'r.json', '--pm', '*.pm']
WAYS = {
    'native': ['./native'],
    'instrumented': LOCKSET + ['--', './watched'],
    'unmodified': LOCKSET + ['--binary', '--', './native'],
}
LIMIT = {'instrumented': 4.5, 'unmodified': 9}
over = False

def cpu(command, allowed=0):
    p = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, u = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    assert 0 <= p.returncode <= allowed, (command, status)
    return u.ru_utime + u.ru_stime, u.ru_maxrss

def run(way, what, ops):
    """CPU seconds and peak KB, of this one run."""
    if os.path.exists('x.pm'):
        os.unlink('x.pm')
    return cpu(WAYS[way] + [what, 'x.pm', str(ops), str(THREADS)])

def note(value, limit):
    global over
    if value <= limit:
        return ' (at most %g)' % limit
    over = True
    return ' (at most %g)   EXCEEDED' % limit

print('%-5s %-13s %10s %9s %9s %8s %10s %9s' %
      ('what', 'how', 'operations', 'native s', 'lockset s', 'ratio', 'engine KB', 'peak MB'))
for what in 'hash', 'map':
    start = {way: min(run(way, what, THREADS)[0] for _ in range(3)) for way in WAYS}
    for ops in 1000, 10000, 100000, 1000000:
        rounds = 3 if ops <= 100000 else 1
        # Natively even 100000 are over within a few ms, which no clock of CPU time is good for.
        more = max(1, 1000000 // ops)
        native = min(run('native', what, ops * more)[0] for _ in range(3)) - start['native']
        native /= more
        for way in 'instrumented', 'unmodified':
            runs = [run(way, what, ops) for _ in range(rounds)]
            peak = max(r[1] for r in runs) / 1024
            mine = min(r[0] for r in runs) - start[way]
            result = json.load(open('r.json'))
            assert not result['findings'] and result['complete'], result
            ratio = mine / native
            # Short runs are lost in the noise of the start, which is why they may even be below 0.
            shown = '%.1fx' % ratio if ops >= 100000 else '-'
            print('%-5s %-13s %10d %9.4f %9.3f %8s %10d %9.1f%s%s' %
                  (what, way, ops, native, mine, shown, result['stats']['engine_bytes'] // 1024, peak,
                   note(ratio, LIMIT[way]) if ops >= 100000 else '',
                   '   EXCEEDED: more than 200 MB' if ops == 100000 and peak > 200 else ''), flush=True)
            over = over or (ops == 100000 and peak > 200)

# The program of the lint bench, which has two races, at its numbers of threads. Its allocator stores to one
# word under every lock.
for threads in 1, 4:
    def phash(way, ops):
        if os.path.exists('x.pm'):
            os.unlink('x.pm')
        program = './phash' if way != 'instrumented' else './phash.i'
        return cpu(WAYS[way][:-1] + [program, 'x.pm', str(ops), str(threads)], 1)[0]
    least = {way: min(phash(way, 200000) for _ in range(3)) - min(phash(way, 1) for _ in range(3))
             for way in WAYS}
    for way in 'instrumented', 'unmodified':
        ratio = least[way] / least['native']
        print('phash, %d threads: %s : native %28.1fx%s' % (threads, way, ratio, note(ratio, LIMIT[way])),
              flush=True)
sys.exit(over)
PY
python3 measure.py "$build/perdure"
