#!/bin/sh
# The table of pools: what the session asks of it; and that all of it leaves the files alone.
. "$(dirname "$0")/lib.sh"

prepare table
fingerprint . >../before
GLOBS='*.pm:*.nothing' driven "$P/table" >../out 2>&1
take ../out
fingerprint . | diff ../before -
ok $? 'nothing in the directory has changed'
finish
