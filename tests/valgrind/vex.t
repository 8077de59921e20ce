#!/bin/sh
# What VEX does not know, src/valgrind/decode.c does. The day VEX knows one of these by itself, our
# tool sees no undecoded instruction any more, and its event would be lost.
. "$(dirname "$0")/../lib/run.sh"

cat >insn.c <<'C'
int main(void) { static char a[64]; __asm__ volatile(INSN ::"a"(a), "d"(a) : "memory"); return 0; }
C

# vex INSTRUCTION: the status of a program that has it, in Valgrind's own `none`
vex() {
	gcc -DINSN="\"$1\"" -o insn insn.c || return 99
	sh -c 'valgrind -q --tool=none ./insn; exit $?' >out 2>&1
}

for insn in 'clwb (%%rax)' 'clflushopt (%%rax)' 'movdiri %%edx,(%%rax)' 'movdir64b (%%rdx),%%rax'; do
	vex "$insn"
	[ $? = 132 ]
	ok $? "$insn: VEX does not know it (if it does: give it its event in src/valgrind/instrument.c)" out
done
for insn in 'clflush (%%rax)' sfence 'movnti %%edx,(%%rax)'; do
	vex "$insn"
	ok $? "$insn: VEX knows it" out
done

finish
