#!/bin/sh
# Ordinary programs that fork, exec, jump, fault, die, or that Valgrind cannot run: they work as natively,
# or are refused in one line; and nothing of the user's is ever changed.
. "$(dirname "$0")/../lib/run.sh"
plain odd "$top/tests/trace/odd.c"
cc -shared -fPIC -o libplug.so "$top/tests/trace/plug.c" || exit 1
head -c 8192 /dev/zero | tr '\0' 'u' >user.pm
sum=$(cksum <user.pm)
unchanged() {
	[ "$sum" = "$(cksum <user.pm)" ]
	ok $? "$1: the user's file is as before"
}

for mode in fork exec vfork signal fault alloca longjmp dlopen _exit limit none; do
	cp user.pm native.pm
	./odd $mode native.pm >want 2>&1
	"$perdure" trace --pm user.pm ./odd $mode user.pm >listing 2>got
	status=$?
	grep -v '^perdure: loss:' got >shown
	cmp -s want shown
	ok $? "$mode: prints what it prints natively" got
	case $mode in fork | exec | vfork) want_status=3 ;; *) want_status=0 ;; esac
	[ $status = $want_status ]
	ok $? "$mode: exit status $want_status (was $status)" got
	unchanged $mode
done

# died MODE PATTERN: the program's own failure is said in the last line, status 2
died() {
	"$perdure" trace --pm user.pm ./odd "$1" user.pm >listing 2>got
	[ $? = 2 ] && tail -1 got | grep -q "$2" && [ "$(grep -c '^perdure' got)" = 1 ] && ! grep -q '^==' got
	ok $? "$1: is said, with status 2" got
	unchanged "$1"
}
died abort "'./odd' itself was killed by signal 6"
grep -q 'store .*odd.c' listing
ok $? 'abort: what happened before is listed' listing
died status 'itself exited with status 3'
died kill 'killed by signal 9'
grep -q 'store .*odd.c' listing
ok $? 'kill -9: what happened before is listed' listing

"$perdure" trace --pm user.pm ./odd closeall user.pm >listing 2>got
[ $? = 0 ] && [ "$(grep -c store listing)" = 20000 ]
ok $? 'closes all descriptors: complete' got

# Kinds of programs.
for flags in -static -no-pie '-pie -fPIE' -s '-O2 -fomit-frame-pointer'; do
	gcc -g $flags -o kind "$top/tests/trace/odd.c" 2>/dev/null || continue
	"$perdure" trace --stats --pm user.pm ./kind signal user.pm >stats 2>got
	[ $? = 0 ] && [ "$(awk '$2 == "store" { print $1 }' stats)" -ge 1 ]
	ok $? "compiled with $flags" got
done

# And what lint says of them: the line, or without debug information the object and where in it.
cat >lost.c <<X
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
	int fd = open("user.pm", O_RDWR);
	long *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	p[8] = 1;
#ifdef EXEC
	execl("/bin/true", "true", (char *)0);
#endif
	return 0;
}
X
for flags in -static '-static -s' -no-pie '-pie -fPIE' -s '-O2 -fomit-frame-pointer'; do
	gcc -g $flags -o kind lost.c 2>/dev/null || continue
	case $flags in *-s) want='.function | test("^kind[+]0x[0-9a-f]+$")' ;; *) want='.line == 9 and .function == "main"' ;; esac
	"$perdure" lint --json r.json --pm user.pm ./kind >stats 2>got
	[ $? = 1 ] && jq -e "(.findings | length) == 1 and (.findings[0] | .kind == \"lint/missing-flush\" and
		(.sites[0] | $want))" r.json >/dev/null
	ok $? "lint, compiled with $flags" stats
done
cc -g -shared -fPIC -o libplug.so "$top/tests/trace/plug.c"
"$perdure" lint --json r.json --pm user.pm ./odd dlopen user.pm >stats 2>got
[ $? = 1 ] && jq -e 'any(.findings[]; .kind == "lint/missing-flush" and .sites[0].function == "plug" and
	(.sites[0].file | endswith("plug.c")))' r.json >/dev/null
ok $? 'lint of what a library does that is loaded at run time' stats
# Of two libraries that are open one after the other each has what it did.
cp "$top/tests/trace/plug.c" other.c
cc -g -shared -fPIC -o libother.so other.c
cat >turns.c <<'X'
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>

static int use(const char *name, long *pm)
{
	void *h = dlopen(name, RTLD_NOW);
	void (*plug)(long *) = h ? (void (*)(long *))dlsym(h, "plug") : 0;

	if (!plug)
		return 1;
	plug(pm);
	return dlclose(h);
}

int main(void)
{
	long *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, open("user.pm", O_RDWR), 0);

	return use("./libplug.so", p) + use("./libother.so", p + 64);
}
X
cc -g -o turns turns.c
"$perdure" lint --json r.json --pm user.pm ./turns >stats 2>got
[ $? = 1 ] && jq -e '[.findings[].sites[0] | "\(.file | sub(".*/"; "")):\(.line)"] | sort ==
	["other.c:10", "other.c:9", "plug.c:10", "plug.c:9"]' r.json >/dev/null
ok $? 'lint of libraries that are open one after the other' stats
rm -f other.c libother.so turns.c turns
for mode in fork exec; do
	"$perdure" lint --json r.json --pm user.pm ./odd $mode user.pm >stats 2>got
	[ $? = 1 ] && jq -e '.losses["system-call"].examples[0] | test("^fork: the child is not followed")' r.json >/dev/null
	ok $? "lint: $mode: what is not followed is said" stats
done
gcc -g -DEXEC -o kind lost.c
"$perdure" lint --json r.json --pm user.pm ./kind >stats 2>got
[ $? = 1 ] && jq -e '(.losses["system-call"].examples[0] | test("exec")) and
	any(.findings[]; .kind == "lint/missing-flush" and .sites[0].line == 9)' r.json >/dev/null
ok $? 'lint: a program that becomes another: judged before, and the rest is a loss' stats
rm -rf r.json perdure.out
unchanged 'lint'

# refused NAME PATTERN PROGRAM...: one line, status 2, nothing is left
refused() {
	name=$1 pattern=$2
	shift 2
	"$perdure" trace --pm user.pm "$@" >listing 2>got
	status=$?
	[ $status = 2 ] && [ "$(wc -l <got)" = 1 ] && grep -q "$pattern" got
	ok $? "$name: refused in one line (status $status)" got
}
printf '#!/bin/sh\n./odd none user.pm\n' >script
chmod +x script
refused 'a script' 'is a script' ./script
cp odd setuid && chmod u+s setuid
refused 'a setuid program' 'is setuid or setgid' ./setuid none user.pm
printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0' | dd of=small bs=64 conv=sync 2>/dev/null && chmod +x small
refused 'a 32-bit program' 'not an x86-64 program' ./small
cat >zmm.c <<X
#include <fcntl.h>
#include <sys/mman.h>
int main(void)
{
	int fd = open("user.pm", O_RDWR);
	char *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	p[0] = 1;
	__asm__ volatile(CODE : : "r"(p) : "memory");
	return 0;
}
X
gcc -o zmm -DCODE='".byte 0x62, 0xf1, 0x7c, 0x48, 0x11, 0x00"' zmm.c
refused 'AVX-512' 'does not know (62 f1 7c 48 11 00).*AVX-512' ./zmm
gcc -o unknown -DCODE='".byte 0x0f, 0x01, 0xcf"' zmm.c
refused 'an unknown instruction' 'does not know (0f 01 cf' ./unknown
unchanged 'refused programs'
gcc -o trap -DCODE='"ud2"' zmm.c
refused 'a trap of its own' 'killed by signal 4' ./trap

# A thread that waits for the kernel does not stop the others.
plain pipes "$top/tests/trace/pipe.c" -pthread
timeout 60 "$perdure" trace --pm '*.pm' ./pipes new.pm >listing 2>got
[ $? = 0 ] && grep -qx '1 2 3' got && grep -q 'store .*new.pm+0x10 8 = 0x3' listing
ok $? 'a pipe between two threads, into PM' got

# kill -9 of the tool: nothing goes on.
cat >forever.c <<X
#include <unistd.h>
int main(void) { write(9, "x", 1); for (;;) ; }
X
gcc -w -o forever forever.c
mkfifo runs
"$perdure" trace --pm user.pm ./forever >/dev/null 2>&1 9>runs &
tool=$!
exec 8<runs # from now on tool and program have the other end
started=$(dd bs=1 count=1 <&8 2>/dev/null)
kill -9 $tool
wait $tool 2>/dev/null
timeout 60 cat <&8 && [ "$started" = x ]
ok $? 'kill -9 of the tool ends the program'
exec 8<&-
unchanged 'kill -9 of the tool'
ls >left
[ -z "$(ls | grep -vE '^(got|libplug.so|listing|native.pm|odd|shown|user.pm|want|stats|kind|lost.c|script|setuid|small|zmm|zmm.c|unknown|trap|pipes|forever|forever.c|runs|left)$')" ]
ok $? 'nothing is left behind' left
finish
