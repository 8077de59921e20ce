#!/bin/sh
# What a finding says does not depend on whether the exploration came to its end.
. "$(dirname "$0")/../lib/run.sh"
source=$top/tests/check/cut.c
instrument cut "$source"
line() { grep -n "//@ $1\$" "$source" | cut -d: -f1; }
what='[.findings[] | {id, kind, cause, fix, message, sites}]'

"$perdure" check -j1 --only crash --json whole.json --pm '*.pm' ./cut x.pm 3 >text 2>err
jq -e --argjson header "$(line header)" --argjson note "$(line note)" \
	'.complete and ([.findings[] | [.cause, .sites[0].line]] | sort) == [["missing-flush", $header], ["order", $note]]' whole.json >/dev/null
ok $? 'to the end' text

# With one job crash points are looked at in their order.
sh -c 'CUT=$$ exec "$@"' - "$perdure" check -j1 --only crash --json cut.json --pm '*.pm' ./cut x.pm 40 >text 2>err
status=$?
jq -e '(.complete | not) and .limits == ["interrupted (^C)"]' cut.json >/dev/null && [ $status = 1 ]
ok $? 'it was interrupted' text
sh -c 'CUT_BY=15 CUT=$$ exec "$@"' - "$perdure" check -j1 --only crash --json term.json --pm '*.pm' ./cut x.pm 40 >text 2>err
[ $? = 1 ] && jq -e '(.complete | not) and .limits == ["interrupted (SIGTERM)"] and all(.findings[]; .confirmed)' term.json >/dev/null
ok $? 'SIGTERM, which timeout sends, loses nothing' text
jq -S "$what" whole.json >a
jq -S "$what" cut.json >b
diff a b >diff
ok $? 'the same findings, word by word' diff

"$perdure" check -j1 --only crash --json cut.json --time-limit 1s --pm '*.pm' ./cut x.pm 40 >text 2>err
jq -e '(.complete | not) and .limits == ["ran out of time (--time-limit)"]' cut.json >/dev/null
ok $? 'the time limit' text

# What can be done about too many states is said where a run was cut for them, and helps.
instrument mixtures "$top/tests/check/mixtures.c"
"$perdure" check --time-limit 3s --pm '*.pm' ./mixtures x.pm >text 2>err
[ $? = 3 ] && tr -s '\n ' ' ' <text | grep -q 'hint: [0-9]* recoveries at [0-9]* crash points: most states come from what sum() reads at mixtures.c:[0-9]*, .* --checksum sum ('
ok $? 'a hint where states explode' text
"$perdure" check --checksum sum --pm '*.pm' ./mixtures x.pm >text 2>err
[ $? = 0 ] && ! grep -q '^hint' text
ok $? 'with --checksum it comes to its end, without a hint' text

# More failures than there is time for: the first ones are confirmed, the others counted.
sh "$top/tests/check/many.sh" 260 >many.c
instrument many many.c
"$perdure" check --only crash --json cut.json --time-limit 1s --pm '*.pm' ./many >text 2>err
jq -e 'any(.findings[]; .confirmed) and (.complete | not) and .stats.failures_not_run_again > 0' cut.json >/dev/null
ok $? 'the time limit: some findings are confirmed all the same' text

# Schedules that are over before anybody looks at the clock.
instrument turns "$top/tests/check/turns.c"
"$perdure" check -j1 --only crash --json cut.json --time-limit 1s --schedules 1000000 --pm '*.pm' ./turns right >text 2>err
[ $? = 3 ] && jq -e '.limits == ["ran out of time (--time-limit)"] and .stats.schedules > 1' cut.json >/dev/null
ok $? 'the time limit, between short schedules' text
finish
