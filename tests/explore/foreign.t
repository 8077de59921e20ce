#!/bin/sh
# Input that goes to code which is not instrumented: a result says so where what that code answers may depend on it, and
# only there. Strings of C++ are followed.
. "$(dirname "$0")/../lib/run.sh"

compile cc -shared -fPIC -DLIBRARY -o libdecide.so "$here/foreign.c"
for way in 1 2 3 4; do
	compile "$perdure" cc --symbolic -g -O1 -DWAY=$way -o way$way "$here/foreign.c" -L. -ldecide -Wl,-rpath,"$PWD"
done
explore() {
	"$perdure" explore -q --pm '*.pm' --sym-stdin 2 "./$1" >out 2>err
}
last=perdure.out/last/result.json

explore way1
[ $? = 3 ] && grep -q 'input that is given to decide, which is not instrumented' out
ok $? 'a buffer' out
explore way2
[ $? = 3 ] && grep -q 'input that is given to decide_box, ' out
ok $? 'a struct that points to it' out
explore way3
[ $? = 0 ] && [ "$(jq .stats.paths $last)" = 4 ]
ok $? 'a value has all its values tried: nothing is lost' out
explore way4
[ $? = 0 ] && [ "$(jq .stats.paths $last)" = 2 ]
ok $? 'what lies beside the input is not the input' out

compile "$perdure" c++ --symbolic -g -O1 -o string "$here/string.cc"
explore string
[ $? = 0 ] && [ "$(jq .stats.paths $last)" = 5 ]
ok $? 'std::string is compiled with the program' $last
finish
