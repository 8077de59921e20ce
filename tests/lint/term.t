#!/bin/sh
# SIGTERM, which timeout sends: the program is stopped, and what was seen of it is reported.
. "$(dirname "$0")/../lib/run.sh"
instrument term "$here/term.c"
sh -c 'WATCHER=$$ exec "$@"' - "$perdure" lint --json r.json --pm '*.pm' ./term x.pm >out 2>err
[ $? = 1 ] && jq -e '(.complete | not) and (.limits == ["interrupted (SIGTERM): what the program left unflushed was not judged"]) and
	[.findings[].kind] == ["lint/extra-flush"]' r.json >/dev/null
ok $? 'what was found before it is kept' out err r.json
finish
