#!/bin/sh
# Custom oracles: the shipped ones, one built from the header alone, and those that are refused.
. "$(dirname "$0")/lib.sh"
log=$top/bugs/lint-log-twice/case.c
mkdir header && cp "$top/include/perdure_oracle.h" header
"${CC:-cc}" -shared -fPIC -Wall -Werror -Iheader -DVERSION=PDO_VERSION -o never42.so "$here/never42.c"
ok $? 'an oracle is built from one header'
"${CC:-cc}" -shared -fPIC -Iheader -DVERSION=99 -o other.so "$here/never42.c"
"${CC:-cc}" -shared -fPIC -o none.so -x c - <<'EOF'
int nothing;
EOF

# The tutorial's: the first block of code from its include to the end of its object.
sed -n '/^    #include "perdure_oracle.h"/,/^    };$/p' "$top/docs/oracles.md" | sed 's/^    //' >generation.c
sed -n '/^    };$/,/^    };$/p' "$top/docs/oracles.md" | sed 1d | sed 's/^    //' >>generation.c
"${CC:-cc}" -shared -fPIC -Wall -Werror -Iheader -o generation.so generation.c 2>err
ok $? 'the oracle of docs/oracles.md compiles' err

for front in binary instrumented; do
	make_case log "$log" -DFIXED=0
	make_case log_fixed "$log" -DFIXED=1
	make_case atomic "$here/atomic.c"
	make_case stores42 "$here/stores42.c"
	make_case goes_back "$here/goes_back.c"
	set -f
	pm='--pm *.pm --'

	lint 'redundant-log' 1 "any(.findings[]; .kind == \"lint/custom-performance\" and .field == \"redundant-log\" and
		at(\"log\"; $(mark "$log" log))) and has(\"lint/redundant-log\")" --oracle redundant-log $pm ./log new.pm
	lint 'redundant-log, fixed' 0 '.findings == [] and .stats.oracles == 1' --oracle redundant-log $pm ./log_fixed new.pm

	a='--no-perf --oracle atomic=new.pm:64:0x10'
	lint 'atomic: right' 0 '.findings == []' $a $pm ./atomic right new.pm
	lint 'atomic: another part of the file' 0 '.findings == []' --oracle atomic=new.pm:256:8 $pm ./atomic outside new.pm
	for mode in unlogged outside; do
		lint "atomic: $mode" 1 "any(.findings[]; .kind == \"lint/custom\" and .field == \"atomic\" and
			at(\"store\"; $(mark "$here/atomic.c" $mode)))" $a $pm ./atomic $mode new.pm
	done
	lint 'atomic: durable too late' 1 'only("lint/custom") and (.findings[0].message | contains("not durable"))' \
		$a $pm ./atomic late new.pm

	lint 'one of the user' 1 "(.findings | map(select(.field == \"never-42\")) | length) == 3 and
		any(.findings[]; .message == \"42 at 16 of new.pm by put, 0 dirty before\" and
			at(\"store\"; $(mark "$here/stores42.c" store))) and
		any(.findings[]; .message == \"42 at 16 of new.pm by put, 8 dirty before\" and .severity == \"performance\") and
		any(.findings[]; .message == \"there were events\" and .severity == \"note\")" \
		--oracle ./never42.so $pm ./stores42 new.pm
	lint "the tutorial's" 1 "any(.findings[]; .kind == \"lint/custom\" and .field == \"generation\" and
		(.sites[0].function | contains(\"main\")))" --oracle ./generation.so $pm ./goes_back new.pm
	lint 'two at once' 1 '.stats.oracles == 2' --oracle ./never42.so --oracle redundant-log $pm ./stores42 new.pm
	set +f
done

# refused OPTION EXPECTED
refused() {
	"$perdure" lint --oracle "$1" --pm '*.pm' ./stores42 new.pm >text 2>err
	[ $? = 2 ] && [ "$(wc -l <err)" -le "${3:-1}" ] && grep -q "$2" err
	ok $? "--oracle $1: $2" err
}
refused ./missing.so "there is no oracle './missing.so'"
refused missing "there is no oracle 'missing'"
refused ./none.so "no 'perdure_oracle'"
refused ./other.so 'of version 99, this perdure takes version 1'
refused ./never42.so=refuse "'never-42' does not take 'refuse'"
refused atomic=nonsense "'atomic' does not take 'nonsense'" 2
refused "$here/never42.c" 'cannot be loaded'
finish
