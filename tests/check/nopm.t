#!/bin/sh
# A program whose PM files nobody has named would run on the user's real files, and nothing would be tested.
. "$(dirname "$0")/../lib/run.sh"
instrument nopm "$top/tests/check/nopm.c"
cc -o plain "$top/tests/check/nopm.c" || exit 1
unset PERDURE_PM PMEM_IS_PMEM_FORCE

ran() {
	[ -e ran.log ] && wc -l <ran.log || echo 0
}

# refused NAME COMMAND...: status 2, one line, and nothing has run
refused() {
	name=$1
	shift
	rm -f ran.log
	"$@" >out 2>err
	status=$?
	[ $status = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q "name the program's PM files, such as --pm .*nothing was run" err &&
		[ "$(ran)" = 0 ] && [ ! -e data.pm ] && [ ! -e perdure.out ]
	ok $? "$name without --pm (status $status, ran $(ran) times)" err
}
for verb in check lint lockset trace; do
	refused $verb "$perdure" $verb ./nopm data.pm
done
refused 'lint of a binary' "$perdure" lint ./plain data.pm
refused 'PMEM_IS_PMEM_FORCE=0' env PMEM_IS_PMEM_FORCE=0 "$perdure" check ./nopm data.pm

# missed NAME COMMAND...: it ran once, and the message says so and names the file
missed() {
	name=$1
	shift
	rm -f ran.log data.pm
	"$@" >out 2>err
	status=$?
	[ $status = 2 ] && [ "$(wc -l <err)" = 1 ] && [ "$(ran)" = 1 ] &&
		grep -q "nothing that --pm 'other\*' matches was mapped, so nothing was checked (the program ran once); .* writable and shared: '$PWD/data.pm'; " err
	ok $? "$name with a glob that matches nothing (status $status, ran $(ran) times)" err
}
for verb in check lint lockset trace; do
	missed $verb "$perdure" $verb --pm 'other*' ./nopm data.pm
done
missed 'check --schedules' "$perdure" check --schedules 3 --pm 'other*' ./nopm data.pm
missed 'lint of a binary' "$perdure" lint --pm 'other*' ./plain data.pm
if command -v script >/dev/null; then
	rm -f ran.log
	script -qec "'$perdure' check --pm 'other*' ./nopm data.pm" /dev/null >out 2>&1
	[ "$(ran)" = 1 ]
	ok $? "and once only where progress is shown ($(ran) times)" out
fi
rm -f ran.log
"$perdure" check --pm 'other*' ./nopm >out 2>err
[ $? = 2 ] && [ "$(ran)" = 1 ] && grep -q 'it mapped no file writable and shared' err
ok $? 'a program that maps nothing' err

# PM of its own accord
rm -f data.pm
PMEM_IS_PMEM_FORCE=1 "$perdure" check -q ./nopm data.pm >out 2>err
status=$?
[ $status != 2 ] && [ ! -s err ] && [ ! -e data.pm ]
ok $? "PMEM_IS_PMEM_FORCE=1 is enough (status $status)" err
PERDURE_PM='*.pm' "$perdure" check -q ./nopm data.pm >out 2>err
status=$?
[ $status != 2 ] && [ ! -s err ] && [ ! -e data.pm ]
ok $? "PERDURE_PM is enough (status $status)" err
rm -f ran.log
"$perdure" check ./nopm /dev/dax/none >out 2>err
[ "$(ran)" = 1 ] && grep -q 'the program mapped no PM, so nothing was checked (the program ran once)' err
ok $? 'a command that names a DAX device is run' err
finish
