#!/bin/sh
# The edges that the primitives tell, one by one: thread, kind, object as it first appears, aux.
. "$(dirname "$0")/lib.sh"

export PD_TEST_EVENTS="$tmp/events"
cat >"$tmp/expected" <<'END'
0 thread-create 1
0 thread-create 2
0 acquire #1 0
0 release #1 0
0 signal #2
0 wait #2
0 acquire #3 0
0 release #3 0
0 acquire #3 1
0 release #3 1
1 thread-begin 0
1 acquire #4 0
1 release #4 0
2 thread-begin 0
0 acquire #4 0
0 signal #5
0 release #4 0
1 wait #5
1 acquire #4 0
1 release #4 0
1 signal #6
1 signal #7
2 wait #6
2 signal #7
2 wait #7
2 acquire pm+0 0
2 release pm+0 0
2 thread-end
1 wait #7
1 thread-end
0 thread-join 1
0 thread-join 2
END
run default 1 events
diff "$tmp/expected" "$tmp/events" | sed 's/^/# /'
cmp -s "$tmp/expected" "$tmp/events" && grep -q '^status 0$' "$tmp/out"
ok $? "events of the default schedule"

# Under any schedule: who takes gives back, who begins was created, ends and is joined.
bad=0
for seed in $(seq 30); do
	run random $seed events
	for pair in acquire:release thread-create:thread-begin thread-begin:thread-end thread-end:thread-join; do
		a=$(grep -c " ${pair%:*}" "$tmp/events")
		b=$(grep -c " ${pair#*:}" "$tmp/events")
		[ "$a" -gt 0 ] && [ "$a" = "$b" ] || {
			bad=1
			echo "# $a ${pair%:*}, $b ${pair#*:}"
			again random $seed events
		}
	done
done
ok $bad "events come in pairs under random schedules"

finish
