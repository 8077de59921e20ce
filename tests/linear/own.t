#!/bin/sh
# perdure linear --spec NAME: a specification of one's own, of a program that announces its operations (PD_LINEAR_SPEC).
. "$(dirname "$0")/../lib/run.sh"

linear() { "$perdure" linear --pm '*.pm' --schedules 1 "$@" >out 2>&1; }
for bug in 0 1 2 3 4; do instrument own$bug "$here/own.c" -DBUG=$bug; done
cp "$here/own.c" own.cc
instrument plus own.cc

linear --spec tickets ./own0 a.pm
[ $? = 0 ] && grep -q '^perdure linear: clean ' out
ok $? 'what is right' out
linear --spec tickets ./plus a.pm
[ $? = 0 ] && grep -q '^perdure linear: clean ' out
ok $? 'in C++' out
linear --spec tickets --json r.json ./own1 a.pm
[ $? = 1 ] && grep -q '^linear/incompletely-durable .*: take() = 0 returned, but its effect is gone' out
ok $? 'a ticket that is not durable' out
"$perdure" replay "$(jq -r '.findings[0].id' r.json)" >out 2>&1
[ $? = 1 ] && grep -q '^replayed: take() = 0 returned, but its effect is gone' out
ok $? 'it is replayed' out
linear --spec tickets ./own2 a.pm
[ $? = 1 ] && grep -q '^linear/not-linearizable .*: no order of the operations explains take() = 1, even without a crash' out
ok $? 'a ticket given twice' out
linear --spec tickets ./own3 a.pm
[ $? = 2 ] && grep -q "^perdure: ./own3: the specification 'tickets' is not deterministic: 'count' returns something else after the same operations$" out
ok $? 'one that is not deterministic' out
linear --spec tickets ./own4 a.pm
[ $? = 2 ] && grep -q "^perdure: ./own4: the specification 'tickets' lacks its operations, 'apply' or the size of a state$" out
ok $? 'one that is not whole' out
linear --spec ticket ./own0 a.pm
[ $? = 2 ] && [ "$(wc -l <out)" = 1 ] &&
	grep -q "^perdure: ./own0: there is no specification 'ticket'; --spec takes map, .*, array, or one that the program has (PD_LINEAR_SPEC in perdure_linear.h)$" out
ok $? 'another name' out
linear --spec 'a b' ./own0 a.pm
[ $? = 2 ] && grep -q "^perdure: --spec takes the name of a specification, without blanks: 'a b'" out
ok $? 'no name' out
./own0 a.pm && ./own0 a.pm
ok $? 'alone' out
finish
