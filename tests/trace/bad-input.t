#!/bin/sh
# Wrong use of perdure trace: one line that says what happened and what to do, and the right status.
. "$(dirname "$0")/../lib/run.sh"
instrument notes "$top/examples/notes.c"
printf '#!/bin/sh\n./notes "$@"\n' >script
printf 'nonsense' >text
chmod +x script text
cat >stuck.c <<X
#include <pthread.h>
int main(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&m);
	return pthread_mutex_lock(&m);
}
X
instrument stuck stuck.c

# bad NAME STATUS PATTERN COMMAND...
bad() {
	name=$1 want=$2 pattern=$3
	shift 3
	"$@" >out 2>err
	status=$?
	[ $status = "$want" ] && [ "$(grep -c '^perdure:' err)" = 1 ] && tail -1 err | grep -Eq -- "$pattern"
	ok $? "$name (status $status)" err
}

bad 'no program' 2 'name the program' "$perdure" trace
bad 'a program that is not there' 2 "cannot run './nothere'" "$perdure" trace --pm '*.pm' ./nothere
bad 'not in PATH' 2 "there is no program 'notes' in PATH" "$perdure" trace --pm '*.pm' notes
bad 'a script' 2 'is a script' "$perdure" trace --pm '*.pm' ./script
bad 'no program at all' 2 'not an x86-64 program' "$perdure" trace --pm '*.pm' ./text
bad 'a directory' 2 "perdure: " "$perdure" trace --pm '*.pm' ./
bad 'no --pm' 2 "name the program's PM files" "$perdure" trace ./notes y.pm a
rm -f y.pm
bad 'a glob that matches nothing' 2 "nothing that --pm 'z\*' matches was mapped" \
	"$perdure" trace --pm 'z*' ./notes y.pm a
rm -f y.pm
bad 'a deadlock' 2 'stuck: deadlock: thread 0 waits for mutex' "$perdure" trace --pm '*.pm' ./stuck
bad 'an unknown option' 2 'frobnicate' "$perdure" trace --frobnicate ./notes
bad 'a bad schedule' 2 'schedule takes' "$perdure" trace --schedule fifo ./notes
bad 'a full disk' 4 'cannot write the listing' sh -c "'$perdure' trace --pm '*.pm' ./notes x.pm a >/dev/full"
if [ "$(id -u)" != 0 ]; then
	: >secret.pm
	chmod 0 secret.pm
	bad 'an unreadable PM file' 2 'exited with status 1' "$perdure" trace --pm '*.pm' ./notes secret.pm a
fi
[ -z "$(ls | grep -E '\.pm$' | grep -v secret)" ]
ok $? 'no file was made'
finish
