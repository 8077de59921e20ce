#!/bin/sh
# Drivers that are not as they should be: one clear line each, and the right status. (More of them: linear.t, stress.t, announce.t.)
. "$(dirname "$0")/../lib/run.sh"

odd() { # ODD status line what
	instrument odd$1 "$here/odd.c" -DODD="$1"
	"$perdure" linear --pm '*.pm' --schedules 1 --no-grow --ops 40 ./odd$1 >out 2>&1
	[ $? = "$2" ] && tr '\n' ' ' <out | grep -q "$3"
	ok $? "$4" out
}
odd 1 3 'operation [0-9]* of the workload returned something  *else when it was run again: the structure or its  *driver is not deterministic' 'a result that differs from run to run'
odd 2 2 'deadlock: thread 0 waits for mutex 0x[0-9a-f]* held by thread 0' 'an operation that blocks for good when it is alone'
odd 3 0 'clean for this workload' 'arguments that the structure refuses, as it says'
odd 4 1 'no order of the operations explains write([0-9]*) = failed, even  *without a crash' 'and without saying so'
odd 5 1 'linear/recovery-exit .* recovery exits with status 2' 'a structure that cannot be opened twice'
odd 6 2 "the specification 'dice' is not deterministic: 'read' returns  *something else" 'a specification that is not deterministic'
odd 7 2 '^perdure: ./odd7: it ended by exit before all operations had  *returned, without any crash *$' 'an operation that ends the program'

closed() { # a flag for the compiler; prints the status
	instrument closed "$here/closed.c" $1
	"$perdure" linear --pm '*.pm' --threads 1 --schedules 1 --no-grow --ops 40 ./closed >out 2>&1
}
closed
ok $? 'a stack that is right when it has been closed' out
closed -DBUG
[ $? = 1 ] && grep -q 'linear/not-persistent .* push(1) = 1 returned' out && grep -q 'store  *[^ ]*closed.c:40' out
ok $? 'one that closing empties' out
finish
