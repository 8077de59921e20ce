#!/bin/sh
# Files that are not PM but can be mapped shared and written to: the same for every execution, and after a crash as a
# reboot leaves them. The real ones do not change.
. "$(dirname "$0")/../lib/run.sh"
instrument side -pthread "$top/tests/check/side.c"
printf '\005\000\000\000\000\000\000\000' >side.old
truncate -s 4096 side.old
sum=$(cksum <side.old)

# check STATUS MODE NAME OPTIONS...
check() {
	want=$1 mode=$2 name=$3
	shift 3
	"$perdure" check --only crash --json a.json --pm '*.pm' "$@" ./side "$mode" >text 2>err
	status=$?
	[ $status = "$want" ] && [ ! -s err ] && jq -e '.complete and .losses == {}' a.json >/dev/null
	ok $? "$mode: $name (status $status)" text
}
for jobs in 1 2; do
	check 0 robust 'nobody holds a mutex in a side file after a reboot' -j$jobs
	check 0 flock 'nor a lock on it' -j$jobs
	check 0 record 'nor a record of it' -j$jobs
	check 0 count 'every execution finds what was there at the start' -j$jobs
	check 0 branch 'each has its own' -j$jobs
	check 0 branch 'each has its own, after two crashes too' -j$jobs --crashes 2
	check 0 anonymous 'memory that is mapped shared, too' -j$jobs --crashes 2
	check 0 memfd 'and a file of memory' -j$jobs --crashes 2
	jq -e '[.. | strings | select(contains("memfd/"))] == []' a.json >/dev/null
	ok $? 'which nobody expects to find after a crash'
	check 0 written 'a file that is only written to is made by each' -j$jobs
	check 0 fopen 'with stdio, too' -j$jobs
done
check 0 robust 'in other schedules, too' --schedules 3
for how in msync fsync fdatasync osync; do
	check 0 $how 'what was synced is there'
	check 0 $how 'what was synced is there after two crashes' --crashes 2
done
cat >log.c <<'C'
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* The log has another name than the data, as a database's may. */
int main(void)
{
	int fd = open("a.pm", O_RDWR | O_CREAT, 0600), log = open("a.log", O_RDWR | O_CREAT, 0600);
	uint64_t *p, begun = 1;

	if (ftruncate(fd, 4096) != 0 || pwrite(log, &begun, 8, 0) != 8 || fsync(log) != 0)
		return 2;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	__atomic_add_fetch(p, 1, __ATOMIC_SEQ_CST);
	return msync(p, 4096, MS_SYNC) != 0;
}
C
instrument log log.c
"$perdure" check --model page --json a.json --pm '*.pm' ./log >text 2>err
[ $? = 0 ] && jq -e ".not_judged == \"'$PWD/a.log', synced but not matched by --pm: there, a crash always loses what was not synced\"" a.json >/dev/null
ok $? 'a log that --pm forgets is named' text
"$perdure" check --model page --json a.json --pm '*.pm' --pm '*.log' ./log >text 2>err
[ $? = 0 ] && jq -e '.not_judged == null' a.json >/dev/null
ok $? 'and only then' text
for how in async nosync; do
	check 1 $how 'what was not synced is lost'
	jq -e '.findings | length == 1 and .[0].confirmed' a.json >/dev/null
	ok $? "$how: and that is confirmed" text
	jq -e '.findings[0] | .cause == "unsynced-file" and (.message | contains(" had not been synced, and with it recovery succeeds"))
		and (.fix | contains("fsync"))' a.json >/dev/null
	ok $? "$how: the file is named, not the store to PM" text
	"$perdure" replay "$(jq -r '.findings[0].id' a.json)" >out 2>err
	[ $? = 1 ]
	ok $? "$how: and replayed" out
done
cat >half.c <<'C'
#include <emmintrin.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Recovery reads what its log has, if anything, but it is the update of PM that is half done. */
int main(void)
{
	int fd = open("a.pm", O_RDWR | O_CREAT, 0600), log = open("a.log", O_RDWR | O_CREAT, 0600);
	uint64_t *p, begun = 1;

	if (ftruncate(fd, 4096) != 0 || pread(log, &begun, 8, 0) < 0 || pwrite(log, &begun, 8, 0) != 8)
		return 2;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p[0] != p[8])
		return 3;
	__atomic_store_n(p, 1, __ATOMIC_RELEASE);
	_mm_clflush(p);
	__atomic_store_n(p + 8, 1, __ATOMIC_RELEASE);
	_mm_clflush(p + 8);
	return 0;
}
C
instrument half half.c
"$perdure" check --only crash --json a.json --pm '*.pm' ./half >text 2>err
[ $? = 1 ] && jq -e '.findings | length == 1 and all(.cause != "unsynced-file")' a.json >/dev/null
ok $? 'a file that was not synced either is not to blame' text
"$perdure" check --only crash --json a.json --pm '*.pm' ./side child >text 2>&1
[ $? = 3 ] && jq -e '.losses["system-call"].examples | any(startswith("fork: "))' a.json >/dev/null
ok $? 'child: memory that it shares with a child is a loss' text
for mode in renamed reused; do
	check 1 $mode 'a file that gets the name of PM is PM'
	[ "$(jq -r '.findings[0].sites[] | select(.role == "store") | .line' a.json)" = "$(grep -n 'volatile uint64_t \*)p = 1;' "$top/tests/check/side.c" | tail -1 | cut -d: -f1)" ]
	ok $? "$mode: the store after that is the one that is lost" text
done
[ "$sum" = "$(cksum <side.old)" ] && [ -z "$(ls | grep -E '\.(pm|tmp|lock|log|own)$')" ]
ok $? 'no real file was made or changed' text
finish
