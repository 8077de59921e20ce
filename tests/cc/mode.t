#!/usr/bin/perl
# Modes of the compiler: a second one is a folder more (branches/mode.c, linked with the objects of src/cc as they are);
# objects say what they were built for, and the runtime refuses a mixture.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Temp 'tempdir';
use Test::More;

my $build = abs_path($ENV{PERDURE_BUILD} || 'build');
my $cc = "$build/tests/cc/two/perdure-cc";
my $dir = tempdir(CLEANUP => 1);
chdir $dir or die;

sub put {
	my ($name, $text) = @_;
	open my $f, '>', $name or die "$name: $!";
	print $f $text;
	close $f;
}

# Runs it; output of both kinds, status in $?.
sub run { return `($_[0]) 2>&1` }

put('hook.c', <<'C');
#include <stdio.h>
void pd_test_branch(int n, int taken);
void pd_test_branch(int n, int taken) { printf("%d:%d ", n, taken); }
C
put('main.c', <<'C');
int half(int);
int main(int argc, char **argv) { (void)argv; return argc > 1 ? half(argc) : 0; }
C
put('half.c', <<'C');
int half(int n) { if (n & 1) return 0; return n / 2; }
C
put('code.s', ".globl from_asm\nfrom_asm:\n\tret\n.section .note.GNU-stack,\"\"\n");
is(run('gcc -c hook.c'), '', 'a hook of the mode, which nobody instruments');

for my $o (qw(0 1 2 3 s z)) {
	is(run("$cc --branches -O$o -o all main.c half.c hook.o"), '', "-O$o: the other mode compiles");
	is(run('./all a b; ./all'), '0:1 0:1 0:0 ', "-O$o: its hook sees each branch");
}
is(run("echo '--branches -O1' >args; $cc \@args -c half.c && nm half.o | grep -c pd_test_branch"), "1\n", 'its option in a response file');
is(run("$cc --branches -E half.c | grep -c 'int half'"), "1\n", 'its option is not for clang');
like(run("$cc --help"), qr/^  --branches +tell of each branch$/m, '--help has its option');
unlike(run("$build/perdure cc --help"), qr/branches/, 'and not that of a compiler that does not have the mode');
isnt(run("$build/perdure cc --branches -c half.c") && $? >> 8, 0, 'which does not take it');

# Mixtures
run("$cc -c -o main.plain.o main.c; $cc -c -o half.plain.o half.c; $cc --branches -c -o main.br.o main.c; $cc --branches -c -o half.br.o half.c");
run("$cc -c -o code.plain.o code.s; $cc --branches -c -o code.br.o code.s");
sub mixture {
	my ($name, $objects, $want) = @_;
	is(run("$cc -o mixed $objects hook.o"), '', "$name: links");
	my $said = run('./mixed');
	is($? >> 8, $want ? 2 : 0, "$name: status");
	is($said, $want ? "perdure: $want\n" : '', "$name: one line");
}
my $half = "'main.c' was compiled by 'perdure cc --branches', but 'half.c' by 'perdure cc'; recompile 'half.c' with 'perdure cc --branches'";
my $main = "'half.c' was compiled by 'perdure cc --branches', but 'main.c' by 'perdure cc'; recompile 'main.c' with 'perdure cc --branches'";
my $code = "'main.c' was compiled by 'perdure cc --branches', but 'code.s' by 'perdure cc'; recompile 'code.s' with 'perdure cc --branches'";
mixture('all plain', 'main.plain.o half.plain.o code.plain.o', '');
mixture('one lacks the mode', 'main.br.o half.plain.o', $half);
mixture('the other way round', 'main.plain.o half.br.o', $main);
mixture('linked in another order', 'half.plain.o main.br.o', $half);
mixture('assembly', 'main.br.o half.br.o code.plain.o', $code);
is(run("$cc -o mixed main.br.o half.br.o code.br.o hook.o && ./mixed"), '0:0 ', 'all of the mode');

# A shared library, loaded at start and later
run("$cc -shared -fPIC -o libhalf.so half.c");
is(run("$cc -o mixed main.br.o hook.o -L. -lhalf -Wl,-rpath,$dir && ./mixed"), "perdure: $half\n", 'a library that lacks the mode');
put('open.c', <<'C');
#include <dlfcn.h>
#include <stdio.h>
int main(void) { void *l; setbuf(stdout, NULL); l = dlopen("./libhalf.so", RTLD_NOW); puts(l ? "open" : dlerror()); return 0; }
C
is(run("$cc --branches -o opens open.c hook.o -ldl && ./opens; echo \$?"), 'perdure: ' . ($half =~ s/main\.c/open.c/r) . "\n2\n", 'the same, opened while it runs');

done_testing();
