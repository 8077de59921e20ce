#!/bin/sh
# What is a loss with directories and what is none; a PM file that is read but not mapped shared.
. "$(dirname "$0")/../lib/run.sh"
instrument files "$here/files.c"
mkdir pm other link
ln -s ../pm link/pm
head -c 4096 /dev/zero | tr '\0' 'a' >pm/old

# run NAME STATUS LOSSES ARGS...
run() {
	name=$1 want=$2 losses=$3
	shift 3
	"$perdure" trace --pm 'pm/*' ./files "$@" >out 2>err
	status=$?
	[ $status = "$want" ] && [ "$(grep -c 'loss:.*lists a directory' err)" = "$losses" ]
	ok $? "$name (status $status)" err
}

run 'a walk elsewhere is no loss' 0 0 walk other pm/new
run 'a walk over a new PM file is' 3 1 walk pm pm/new
run 'a walk over its parent, too' 3 1 walk . pm/new
run 'a walk over a PM file as it was is none' 0 0 walk pm pm/old
run 'a link is not followed by a physical walk' 0 0 walk link pm/new
run 'but by a logical one' 3 1 follow link pm/new
run 'scandir of the directory' 0 0 scan pm pm/new
run 'scandir of the directory by another name' 0 0 scan link/pm pm/new
[ ! -e pm/new ]
ok $? 'the new file was not made'

run 'a private mapping of PM is no wrong use' 0 0 private pm/old
grep -q 'load .*old+0x0 4096' out && grep -q '^b$' err
ok $? 'it is a load of all its bytes' out
run 'nor is read()' 0 0 read pm/old
[ "$(tr -d a <pm/old)" = '' ]
ok $? 'the old file is as it was'
finish
