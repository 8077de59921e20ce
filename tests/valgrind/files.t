#!/bin/sh
# Every file call of an ordinary program on PM files gives what it gives natively, and nothing of the
# user's is changed, whatever way the program ends.
. "$(dirname "$0")/../pools/lib.sh"
perdure=${PERDURE_BUILD:-build}/perdure
case $P in /*) ;; *) P=$PWD/$P perdure=$PWD/$perdure ;; esac

watched() { "$perdure" trace --stats --pm '*.pm' --pm "$PWD/#*" "$@" >../stats; }
# Directories are listed as they are on the disk, which is a loss, and told.
but_lists() { grep -vE '(^.* has [0-9]+:|^perdure: loss: system-call: lists)' "$1"; }

for how in end abort kill; do
	prepare native-$how
	"$P/ops.native" old.pm new.pm $how >../out 2>&1
	prepare $how
	fingerprint . >../before
	watched "$P/ops.native" old.pm new.pm $how 2>../err
	status=$?
	case $how in
	end) [ $status = 3 ] && [ "$(grep -c 'loss:' ../err)" = "$(grep -c 'loss: system-call: lists' ../err)" ] ;;
	abort) grep -q 'killed by signal 6' ../err ;;
	kill) grep -q 'killed by signal 9' ../err ;;
	esac
	ok $? "the program runs to its $how (status $status)"
	but_lists ../../native-$how/out | grep -v '^Aborted\|^Killed' >../want
	but_lists ../err | grep -v '^perdure: ' >../got
	diff ../want ../got
	ok $? "as it does natively ($(wc -l <../want) lines)"
	fingerprint . | diff ../before -
	ok $? 'and nothing in the directory has changed'
done

for seed in 1 2 3 4 5; do
	for name in native$seed watched$seed; do
		prepare $name
		rm -f a.pm b.pm
		case $name in
		native*) "$P/fuzz.native" $seed 300 >../fuzz 2>&1 ;;
		*) watched "$P/fuzz.native" $seed 300 2>../fuzz ;;
		esac
	done
	grep -v '^perdure: loss: ' ../fuzz | diff ../../native$seed/fuzz -
	ok $? "random calls, seed $seed: as natively"
	[ ! -e a.pm ] && [ ! -e b.pm ]
	ok $? 'no file was made'
done

prepare forced
rm -f a.pm b.pm
PMEM_IS_PMEM_FORCE=1 "$perdure" trace --stats "$P/fuzz.native" 5 300 >../stats 2>../fuzz
grep -v '^perdure: loss: ' ../fuzz | diff ../../native5/fuzz -
ok $? 'PMEM_IS_PMEM_FORCE makes PM of files that are opened for reading and writing'
[ ! -e a.pm ] && [ ! -e b.pm ]
ok $? 'which are not made'

# PMDK, as shipped: pools, pool sets with replicas, libpmem, libpmem2.
for kind in native watched; do
	prepare pmdk-$kind
	rm -f old.pm link.pm
	printf 'PMEMPOOLSET\n10M %s/part0.pm\n10M %s/part1.pm\nREPLICA\n20M %s/copy.pm\n' \
		"$PWD" "$PWD" "$PWD" >set
	fingerprint . >../before
	case $kind in
	native) "$P/pmdk" >../out 2>&1 ;;
	watched) "$perdure" trace --stats --pm "$PWD/*.pm" --pm "$PWD/pmem.*" --pm "$PWD/#*" "$P/pmdk" \
		>../stats 2>../out ;;
	esac
	ok $? "the program with PMDK's libraries runs ($kind)"
done
diff ../../pmdk-native/out ../out
ok $? 'and prints the same'
fingerprint . | diff ../before -
ok $? 'and no file was made'
awk '$2 == "clwb" { n = $1 } END { exit !(n > 1000) }' ../stats
ok $? 'libpmem flushes by clwb, as on a machine with PM' ../stats
finish
