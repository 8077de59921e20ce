#!/bin/sh
# perdure lockset on growing runs: CPU time against native, memory of the engine and of the process.
# The start (the same program with 8 operations) is taken out of both times; each is the least of several.
# While a run is young the engine gets to know who loads what with which locks; what an operation costs once it
# does is the difference between the two longest runs, and the limits are about that.
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
SIZES = 1000, 10000, 100000, 1000000
for what in 'hash', 'map':
    start = {way: min(run(way, what, THREADS)[0] for _ in range(3)) for way in WAYS}
    native, mine, results = {}, {}, {}
    for ops in SIZES:
        # Natively even 100000 are over within a few ms, which no clock of CPU time is good for.
        more = max(1, 1000000 // ops)
        all_runs = {way: [] for way in WAYS}
        for _ in range(4): # in turns: what else the machine does is then the same for all
            for way in WAYS:
                all_runs[way].append(run(way, what, ops * more if way == 'native' else ops))
                if way != 'native':
                    results[way] = json.load(open('r.json'))
        native[ops] = (min(r[0] for r in all_runs['native']) - start['native']) / more
        for way in LIMIT:
            runs = all_runs[way]
            peak = max(r[1] for r in runs) / 1024
            mine[way, ops] = min(r[0] for r in runs) - start[way]
            result = results[way]
            assert not result['findings'] and result['complete'], result
            # Short runs are lost in the noise of the start, which is why they may even be below 0.
            shown = '%.1fx' % (mine[way, ops] / native[ops]) if ops >= 100000 else '-'
            print('%-5s %-13s %10d %9.4f %9.3f %8s %10d %9.1f%s' %
                  (what, way, ops, native[ops], mine[way, ops], shown,
                   result['stats']['engine_bytes'] // 1024, peak,
                   note(peak, 200) if ops == 100000 else ''), flush=True)
    few, many = SIZES[-2:]
    for way in LIMIT:
        ratio = (mine[way, many] - mine[way, few]) / (native[many] - native[few])
        print('%-5s %-13s an operation after the first %d: %.0f ns, natively %.0f: %.1fx%s' %
              (what, way, few, (mine[way, many] - mine[way, few]) / (many - few) * 1e9,
               (native[many] - native[few]) / (many - few) * 1e9, ratio, note(ratio, LIMIT[way])), flush=True)

# The program of the lint bench, which has two races, at its numbers of threads. Its allocator stores to one
# word under every lock.
for threads in 1, 4:
    def phash(way, ops):
        if os.path.exists('x.pm'):
            os.unlink('x.pm')
        program = './phash' if way != 'instrumented' else './phash.i'
        return cpu(WAYS[way][:-1] + [program, 'x.pm', str(ops), str(threads)], 1)[0]
    full = {way: [] for way in WAYS}
    for _ in range(5): # in turns: what else the machine does is then the same for all
        for way in WAYS:
            full[way].append((phash(way, 200000), phash(way, 1)))
    least = {way: min(f[0] for f in full[way]) - min(f[1] for f in full[way]) for way in WAYS}
    for way in 'instrumented', 'unmodified':
        ratio = least[way] / least['native']
        print('phash, %d threads: %s : native %28.1fx   (for comparison)' % (threads, way, ratio), flush=True)
sys.exit(over)
PY
python3 measure.py "$build/perdure"
