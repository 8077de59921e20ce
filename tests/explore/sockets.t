#!/bin/sh
# Clients that send what a script says, to servers that wait in several ways (--sym-socket). The server with a loop over
# epoll is bugs/explore-server.
. "$(dirname "$0")/../lib/run.sh"
compile "$perdure" cc --symbolic -g -O1 -pthread -o server "$here/server.c"
instrument plain -pthread "$here/server.c"
cat >talk <<END
port 7777
one: <1>       # symbolic
two: <"x">
one: "\\x62"
one: close
END

for how in poll select threads worker; do
	"$perdure" explore --pm '*.pm' --sym-socket talk --path-limit 2s --out $how ./server $how >out 2>err
	[ $? = 1 ] && grep -q '^explore/abort .*with packets "ac"' out
	ok $? "$how: the second packet of a session, after one of another" out
	jq -e '.complete and .stats.paths == 3 and (.findings | length == 1 and all(.confirmed))' $how/result.json >/dev/null
	ok $? "$how: confirmed, every path" $how/result.json
done
(ulimit -n 128 && "$perdure" explore -q --pm '*.pm' --sym-socket talk --path-limit 2s ./server poll >out 2>err)
[ $? = 1 ]
ok $? 'where few files may be open' out err
id=$(jq -r '.findings[0].id' poll/result.json)
"$perdure" replay --out poll "$id" --input kept >out 2>err
[ $? = 1 ] && grep -q '^replayed: the program aborts' out
ok $? 'replayed' out
[ "$(cat kept/sockets)" = 'port 7777
one: "a"
two: "c"
one: "b"
one: close' ]
ok $? 'the input is the script, with the bytes' kept/sockets
"$perdure" lint -q --pm '*.pm' --input kept ./plain select >out 2>err
grep -q 'killed by signal 6' err
ok $? 'a plain build plays it, too' err
"$perdure" explore -q --pm '*.pm' --sym-socket talk --input kept -j1 --max-paths 1 --out begun ./server poll >out 2>err
jq -e '.stats.paths == 1 and (.findings | length == 1)' begun/result.json >/dev/null
ok $? 'begun with' out
printf 'port 7777\none: "a"\n' >kept/sockets
"$perdure" explore -q --pm '*.pm' --sym-socket talk --input kept ./server poll >out 2>err
[ $? = 2 ] && grep -q 'is not of this script' err
ok $? 'begun with another script: refused' err

# Power fails while it serves; a recovery is over when the server waits for clients
cat >set <<END
port 7777
one: <2>
two: "a" <1>
one: close
END
for fixed in 0 1; do
	compile "$perdure" cc --symbolic -g -O1 -DFIXED=$fixed -o store$fixed "$here/store.c"
	"$perdure" explore --check --pm '*.pm' --sym-socket set --out checked$fixed ./store$fixed x.pm >out$fixed 2>err
	echo $? >status$fixed
done
[ "$(cat status0)" = 1 ] && jq -e '.complete and ([.findings[] | select(.severity == "correctness")] |
	length == 1 and .[0].confirmed and .[0].kind == "crash/recovery-abort")' checked0/result.json >/dev/null && grep -q ' packets "c' out0
ok $? 'check plays the script: a crash bug behind a packet' out0
[ "$(cat status1)" = 0 ] && jq -e '.complete and .stats.paths_checked > 0' checked1/result.json >/dev/null
ok $? 'the fixed server is clean' out1
"$perdure" replay --out checked0 "$(jq -r '.findings[0].id' checked0/result.json)" >out 2>err
[ $? = 1 ] && grep -q '^replayed: ' out
ok $? 'replayed' out

"$perdure" explore -q --pm '*.pm' --sym-socket talk -j1 --max-paths 1 --out cut ./server poll >out 2>err
sed 's/x62/x63/' talk >talk2
"$perdure" explore -q --pm '*.pm' --sym-socket talk2 --resume cut ./server poll >out 2>err
[ $? = 2 ] && grep -q 'the same --sym' err
ok $? 'gone on with, with another script: refused' err
"$perdure" explore -q --pm '*.pm' --sym-socket talk --resume cut ./server poll >out 2>err
jq -e '.complete and .stats.paths == 3 and (.findings | length == 1)' cut/result.json >/dev/null
ok $? 'gone on with' cut/result.json

# wrong WORDS LINE: a script of this line is refused, with its number
wrong() {
	printf 'a: <1>\n%s\n' "$2" >bad
	"$perdure" explore -q --pm '*.pm' --sym-socket bad ./server poll >out 2>err
	[ $? = 2 ] && grep -q "'bad', line 2: .*$1" err
	ok $? "a script with: $2" err
}
wrong 'does not end' 'a: "x'
wrong 'stands before' 'a: "\q"'
wrong 'symbolic bytes are' 'a: <0>'
wrong "a ':'" 'a "x"'
wrong 'no bytes' 'a:'
wrong 'from 1 to 65535' 'port 0'
wrong 'is made of' 'a: "x" close'
echo 'a: "x"' >bad
"$perdure" explore -q --pm '*.pm' --sym-socket bad ./server poll >out 2>err
[ $? = 2 ] && grep -q 'no symbolic bytes' err
ok $? 'a script without symbolic bytes' err
"$perdure" explore --pm '*.pm' --sym-socket talk ./server >out 2>err
[ $? = 3 ] && grep -q 'no path receives more than 0 of the 2 symbolic bytes' out
ok $? 'a program that ends before it listens: not complete' out
finish
