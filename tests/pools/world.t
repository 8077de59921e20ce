#!/bin/sh
# Driven, the world is the same in every run; alone it is not.
. "$(dirname "$0")/lib.sh"

prepare world
driven "$P/world" >../one 2>&1
ok $? 'the program runs'
driven "$P/world" >../two 2>&1
diff ../one ../two
ok $? "two runs print the same, mapped addresses too ($(grep mapped ../one))"
grep -q '^forward 1' ../one
ok $? 'the clock goes forward'
grep -q '^signal 1' ../one
ok $? 'a signal to its own process id arrives'
"$P/world" alone.pm >../three
"$P/world" alone.pm >../four
cmp -s ../three ../four
[ $? = 1 ]
ok $? 'alone, two runs differ'
rm -f alone.pm
finish
