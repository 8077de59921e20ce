#!/bin/sh
# cli.t - what somebody meets who does not know perdure yet: options, help, and mistakes of their own. TAP.
. "$(dirname "$0")/../trace/tap.sh"
instrument cli "$top/tests/e2e/cli.c"

# What is to be written is tried before the program runs, and is left as it was.
echo kept >kept
ln -s kept link
for verb in check lint lockset; do
	for option in --json --gen-suppressions --out; do
		"$perdure" $verb $option none/there --pm '*.pm' ./cli right a.pm >text 2>err
		[ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q "'none/there'" err && [ ! -e ran ]
		ok $? "$verb $option to a place that is not there: told before the run" err
	done
done
"$perdure" check --json . --pm '*.pm' ./cli right a.pm >text 2>err
[ $? = 2 ] && [ ! -e ran ]
ok $? 'to a directory' err
"$perdure" check --json link --pm '*.pm' ./cli fails a.pm >text 2>err
[ "$(cat kept)" = kept ] && [ -L link ] && [ "$(ls kept*)" = kept ]
ok $? 'what is there stays where there is no result' err
rm -f ran
finish
