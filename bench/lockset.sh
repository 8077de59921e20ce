#!/bin/sh
# perdure lockset on growing runs: time, memory of the engine and of the process, against native.
# Usage: bench/lockset.sh BUILD-DIR
set -eu
build=$(cd "$1" && pwd)
bench=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
${CLANG:-clang-19} -g -O2 -w -pthread -o native "$bench/race_map.c"
"$build/perdure" cc -g -O2 -w -pthread -o watched "$bench/race_map.c"

run() { # command...: seconds of CPU and KB
	/usr/bin/env python3 - "$@" <<'PY'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
u = resource.getrusage(resource.RUSAGE_CHILDREN)
print('%.3f %d' % (u.ru_utime + u.ru_stime, u.ru_maxrss))
PY
}

over=0
printf '%-5s %9s %10s %12s %10s %12s %10s\n' what operations 'native s' 'lockset s' us/op 'engine KB' 'peak MB'
for what in hash map; do
	for ops in 1000 10000 100000 1000000; do
		rm -f x.pm
		set -- $(run ./native $what x.pm $ops 8)
		native=$1
		rm -f x.pm
		set -- $(run "$build/perdure" lockset -q --no-confirm --out o --json r.json --pm '*.pm' -- ./watched $what x.pm $ops 8)
		engine=$(python3 -c 'import json; r = json.load(open("r.json")); assert not r["findings"] and r["complete"], r; print(r["stats"]["engine_bytes"] // 1024)')
		printf '%-5s %9d %10.3f %12.3f %10.2f %12d %10.1f\n' $what $ops "$native" "$1" \
			"$(awk "BEGIN { print $1 * 1e6 / $ops }")" "$engine" "$(awk "BEGIN { print $2 / 1024 }")"
		if [ $ops = 100000 ] && [ "$2" -gt 204800 ]; then over=1; fi
	done
done
[ $over = 0 ] || echo 'more than 200 MB at 100000 operations   EXCEEDED'
exit $over
