#!/bin/sh
# Programs that fork, exec, jump, fault, die: they work as natively, or are refused in one line; and
# nothing of the user's is ever changed.
. "$(dirname "$0")/../lib/run.sh"
instrument odd "$here/odd.c"
"$perdure" cc -shared -fPIC -o libplug.so "$here/plug.c" || exit 1
head -c 8192 /dev/zero | tr '\0' 'u' >user.pm
sum=$(cksum <user.pm)

for mode in fork exec vfork signal fault alloca longjmp dlopen _exit none; do
	cp user.pm native.pm
	./odd $mode native.pm >want 2>&1
	"$perdure" trace --pm user.pm ./odd $mode user.pm >listing 2>got
	status=$?
	grep -v '^perdure: loss:' got >shown
	cmp -s want shown
	ok $? "$mode: prints what it prints natively" got
	# Other processes are not followed: said, and status 3.
	case $mode in fork | exec | vfork) want_status=3 ;; *) want_status=0 ;; esac
	[ $status = $want_status ]
	ok $? "$mode: exit status $want_status (was $status)" got
	[ "$sum" = "$(cksum <user.pm)" ]
	ok $? "$mode: the user's file is as before"
done

# What a library stored has its place when the library is closed: it stays. Alone, it goes.
cp user.pm native.pm
./odd dlclose native.pm >got 2>&1
[ $? = 0 ] && grep -q 'it is gone' got
ok $? 'dlclose: alone, a library goes' got
"$perdure" trace --pm user.pm ./odd dlclose user.pm >listing 2>got
grep -q 'it stays' got
ok $? 'dlclose: watched, it stays' got
"$perdure" lint --pm user.pm ./odd dlopen user.pm >got 2>&1
[ $? = 1 ] && grep -q 'missing-flush .*stored at plug.c:' got
ok $? 'dlclose: places of the library are known' got
"$perdure" check --pm user.pm ./odd dlopen user.pm >got 2>&1
status=$?
[ $status = 3 ] && grep -q 'nothing was tested' got # its recovery reads nothing of it
ok $? "dlclose: and check goes on (status $status)" got
rm -r perdure.out

# died MODE PATTERN: the program's own failure is said in the last line, status 2
died() {
	"$perdure" trace --pm user.pm ./odd "$1" user.pm >listing 2>got
	[ $? = 2 ] && tail -1 got | grep -q "$2"
	ok $? "$1: is said, with status 2" got
	[ "$sum" = "$(cksum <user.pm)" ]
	ok $? "$1: the user's file is as before"
}
died abort "'./odd' itself was killed by signal 6"
grep -q 'store .*odd.c' listing
ok $? 'abort: what happened before is listed' listing
died status 'itself exited with status 3'
died kill 'killed by signal 9'
grep -q 'store .*odd.c' listing
ok $? 'kill -9: what happened before is listed' listing
died early 'killed by signal 6'

# A program that closes every descriptor that it did not open: ours are among them.
"$perdure" trace --pm user.pm ./odd closeall user.pm >listing 2>got
status=$?
{ [ $status = 0 ] && [ "$(grep -c store listing)" = 20000 ]; } ||
	{ [ $status != 0 ] && [ "$(grep -c '^perdure:' got)" = 1 ]; }
ok $? "closes all descriptors: complete, or refused in one line (status $status)" got

# Volatile variables outside PM, at low addresses.
cat >low.c <<X
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
volatile unsigned low = 3;
int main(void)
{
	int fd = open("low.pm", O_RDWR | O_CREAT, 0600);
	volatile char *p;

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 1;
	p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	p[0] = (char)low;
	low = p[0] - 3;
	return (int)low;
}
X
instrument low low.c -no-pie
"$perdure" trace --pm '*.pm' ./low >listing 2>got
[ $? = 0 ] && [ "$(grep -c '^T0 *store' listing)" = 1 ] && [ "$(grep -c '^T0 *load' listing)" = 1 ]
ok $? 'volatile variables of a program at low addresses' got
rm -f low low.c

# A thread that waits for the kernel does not stop the others.
instrument pipes "$here/pipe.c" -pthread
timeout 20 "$perdure" trace --pm '*.pm' ./pipes new.pm >listing 2>got
[ $? = 0 ] && grep -qx '1 2 3' got && grep -q 'store .*new.pm+0x10 8 = 0x3' listing
ok $? 'a pipe between two threads, into PM' got
rm -f pipes

# kill -9 of the tool and of everything.
"$perdure" trace --pm user.pm ./odd none user.pm >/dev/null 2>&1 &
kill -9 $! 2>/dev/null
wait $! 2>/dev/null
[ "$sum" = "$(cksum <user.pm)" ]
ok $? "kill -9 of the tool: the user's file is as before"
[ -z "$(ls | grep -vE '^(got|libplug.so|listing|native.pm|odd|shown|user.pm|want)$')" ]
ok $? 'nothing is left behind'
finish
