#!/usr/bin/perl
# perdure cc as build systems use it: modes, outputs, dependencies, what only gcc accepts, failures.
use strict;
use warnings;
use Cwd qw(abs_path getcwd);
use File::Temp 'tempdir';
use Test::More;

my $build = abs_path($ENV{PERDURE_BUILD} || 'build');
my ($cc, $cxx) = ("$build/tests/cc/perdure-cc", "$build/tests/cc/perdure-c++");
my $dir = tempdir(CLEANUP => 1);
chdir $dir or die;
mkdir 'tmp';
$ENV{TMPDIR} = "$dir/tmp";

sub put {
	my ($name, $text) = @_;
	open my $f, '>', $name or die "$name: $!";
	print $f $text;
	close $f;
}

sub get {
	open my $f, '<', shift or return '';
	local $/;
	return <$f> // '';
}

# Runs it; output of both kinds, status in $?.
sub run { return `($_[0]) 2>&1` }

sub works {
	my ($name, $cmd, $like) = @_;
	my $out = run($cmd);
	is($?, 0, $name) or diag("$cmd\n$out");
	like($out, $like, "$name: output") if $like;
	return $out;
}

sub fails {
	my ($name, $cmd, $status, $like) = @_;
	my $out = run($cmd);
	is($? >> 8, $status, "$name: status") or diag($out);
	like($out, $like, "$name: message") if $like;
	return $out;
}

put('a.c', "#include <stdio.h>\n#include \"b.h\"\nint main(void) { printf(\"%d\\n\", b(20)); return 0; }\n");
put('b.c', "#include \"b.h\"\nint b(int x) { return x + 1; }\n");
put('b.h', "int b(int);\n");

# ---- the stack ---------------------------------------------------------------------------------

# Calls at the end of a function stay calls, for the sake of stacks; not where they go round and round.
put('ring.c', <<'E');
#include <stdio.h>
typedef long op(long n);
static op even, odd, pick;
static op *const table[] = {even, odd};
__attribute__((noinline)) static long pick(long n) { return table[n & 1](n); }
__attribute__((noinline)) static long even(long n) { return n ? odd(n - 1) : 1; }
__attribute__((noinline)) static long odd(long n) { return n % 3 ? even(n - 1) : pick(n - 1); }
int main(void) { printf("%ld\n", even(20000000)); return 0; }
E
works('a ring of calls needs no stack', "$cc -O2 -o ring ring.c && ./ring", qr/^1$/);

# ---- modes -----------------------------------------------------------------------------------

works('--version', "$cc --version", qr/clang/);
works('perdure cc', "$build/tests/cc/perdure cc --version", qr/clang/);
works('perdure c++', "$build/tests/cc/perdure c++ -dumpversion", qr/^19/);
works('--help', "$cc --help", qr/usage: perdure cc/);
works('-E', "$cc -E a.c", qr/int b\(int\);/);
works('-M', "$cc -M a.c", qr/a\.o: a\.c.*b\.h/s);
works('-MM', "$cc -MM a.c", qr/^a\.o: a\.c b\.h$/m);
works('-fsyntax-only', "$cc -fsyntax-only a.c");
ok(!-e 'a.o' && !-e 'a.out', 'none of these makes an object');

# Valgrind reads DWARF 4 of clang's; who asks for another gets that.
works('debug information', "$cc -c a.c -o dwarf.o && readelf --debug-dump=info dwarf.o", qr/Version: +4\n/);
works('-gdwarf-5', "$cc -gdwarf-5 -c a.c -o dwarf.o && readelf --debug-dump=info dwarf.o", qr/Version: +5\n/);
works('-print-file-name', "$cc -print-file-name=libc.so", qr/libc/);
fails('no input', $cc, 1, qr/no input files/);

works('several sources', "$cc a.c b.c && ./a.out", qr/^21$/m);
works('-c of several', "rm -f a.o b.o; $cc -c -O1 a.c b.c && $cc a.o b.o -o p && ./p", qr/^21$/m);
fails('-c -o of several', "$cc -c a.c b.c -o x.o", 1, qr/multiple output files/);
works('-S', "$cc -S -O2 b.c && grep -q __pd_register b.s");
works('-S -o', "$cc -S b.c -o b2.s && test -s b2.s");
put('ask.c', <<'END');
void seen(volatile long *);
long ask(long a)
{
	volatile long words[6] = {a, 1, 2, 3, 4, 5};
	long r;

	__asm__ volatile("rolq $3, %%rdi ; rolq $13, %%rdi\n\trolq $61, %%rdi ; rolq $51, %%rdi\n\t"
			 "xchgq %%rbx,%%rbx" : "=d"(r) : "a"(&words[0]), "0"(0L) : "cc", "memory");
	return r;
}
long show(long a)
{
	volatile long word[1];

	word[0] = a;
	seen(word);
	return word[0];
}
END
works('volatile words that only Valgrind is shown are left alone',
	"$cc -S -O2 ask.c && sed -n '/^ask:/,/^show:/p' ask.s | grep -o '__pd_[a-z0-9]*' | sort | uniq -c",
	qr/^ *1 __pd_request$/);
works('others are not', "sed -n '/^show:/,\$p' ask.s | grep -o '__pd_[a-z0-9]*'",
	qr/__pd_store8\n.*__pd_load8\n/s);
works('-emit-llvm', "$cc -c -emit-llvm b.c -o b.bc && $cc a.c b.bc -o p && ./p", qr/^21$/m);
works('-x and -', "echo 'int main(void) { return 0; }' | $cc -x c - -o p && ./p");
works('-x for an odd name', "cp b.c b.odd; $cc -x c b.odd -x none a.o -o p && ./p", qr/^21$/m);
works('-oNAME', "$cc -op2 a.c b.c && ./p2", qr/^21$/m);
works('-o /dev/null', "$cc -c b.c -o /dev/null && test -c /dev/null");
works('-pipe -save-temps', "$cc -pipe -save-temps a.c b.c -o p && ./p", qr/^21$/m);
works('-r', "$cc -r -nostdlib a.o b.o -o ab.o && $cc ab.o -o p && ./p", qr/^21$/m);
put('args', qq{-DX="a \\"b\\" c" '-DY=1' -c\n\@more\n});
put('more', "b.c -o from-args.o\n");
works('@file', "$cc \@args && test -s from-args.o");
works('missing @file', "$cc \@nowhere; test \$? = 1", qr/nowhere/);

# ---- libraries -------------------------------------------------------------------------------

works('static library', "$cc -c b.c && ar rcs libb.a b.o && $cc a.c -L. -lb -o p && ./p", qr/^21$/m);
put('t.c', "static __thread int n; int b(int x) { n += x; return n + 1; }\n");
works('shared library', "$cc -fPIC -shared -O2 t.c -o libt.so && $cc a.c ./libt.so -o p && ./p", qr/^21$/m);
works('a library brings the runtime', 'readelf -d libt.so', qr/NEEDED.*libperdure_rt/);
works('the runtime comes before libc', "readelf -d p", qr/libperdure_rt.*libc\.so/s);
works('-Wl,--as-needed keeps the runtime', "$cc -Wl,--as-needed a.c b.c -o p && readelf -d p", qr/libperdure_rt/);
works('-static', "$cc -static a.c b.c -o p && ./p", qr/^perdure cc: note: .*-static.*\n21$/m);
put('dl.c', <<'END');
#include <dlfcn.h>
int main(void) { void *h = dlopen("./libt.so", RTLD_NOW); int (*f)(int) = (int (*)(int))dlsym(h, "b"); return f(1) != 2; }
END
works('dlopen', "clang-19 dl.c -o dl && ./dl");

# ---- dependencies ----------------------------------------------------------------------------

works('-MD', "rm -f *.d; $cc -MD -c a.c && cat a.d", qr/^a\.o: a\.c.*stdio\.h.*b\.h/s);
works('-MMD -o', "mkdir -p o; $cc -MMD -c a.c -o o/x.o && cat o/x.d", qr{^o/x\.o: a\.c b\.h$}m);
works('-MMD -MF', "$cc -MMD -MF dep -c a.c && cat dep", qr/^a\.o: a\.c b\.h$/m);
works('-MMD -MT', "$cc -MMD -MT tgt -c a.c && cat a.d", qr/^tgt: a\.c b\.h$/m);
works('-Wp,-MD', "$cc -Wp,-MMD,wp.d -c a.c && cat wp.d", qr/^a\.o: a\.c b\.h$/m);
works('-MD when linking', "rm -f a.d; $cc -MMD a.c b.c -o p && cat a.d", qr/a\.o: a\.c b\.h/);

# ---- what only gcc accepts -------------------------------------------------------------------

works('flags of gcc', "$cc -c b.c -fno-tree-vectorize -fipa-pta -fno-tree-loop-im --param foo=1 "
	. '-mpreferred-stack-boundary=4 -Wno-maybe-uninitialized -Wsuggest-attribute=pure '
	. '-fno-gcse -flto -fuse-linker-plugin -specs=none -O2');
works('and quietly', "$cc -c b.c -fno-gcse -Wlogical-op -flto=auto", qr/^$/);
works('sanitizers and coverage are left out', "$cc -fsanitize=address,undefined --coverage -fprofile-arcs a.c b.c -o p && ./p",
	qr/^perdure cc: note: building without -fsanitize=address,undefined: .*\n21$/);
works('-O levels', join ' && ', map { "$cc $_ a.c b.c -o p && ./p" }
	qw(-O -O0 -O1 -O2 -O3 -Os -Oz -Og -Ofast -g0 -ggdb3));
put('jump.c', <<'X');
#include <setjmp.h>
#include <stdio.h>
static jmp_buf to;
__attribute__((noinline)) static void back(void) { longjmp(to, 1); }
int main(void)
{
	long a = 1, *p = &a;
	int b = 1;

	if (!setjmp(to)) {
		a = 2;
		b = 2;
		back();
	}
	printf("%ld %d %ld\n", a, b, *p);
}
X
works('without -O, locals live on after longjmp', "$cc jump.c -o p && ./p && $cc -O0 jump.c -o p && ./p", qr/^2 2 2\n2 2 2$/);
put('old.c', "int main() { char *p = 5; void (*f)(int) = main; q(p, f); return 0; }\nq(a, b) char *a; void *b; { return a == b; }\n");
works('old C', "$cc -std=gnu89 -w old.c -o old && ./old");
put('cast.c', 'int main(void) { long x = 1, y = 2; asm("xchgq %0,%1" : "=r"((unsigned long)x) : "m"(y), "0"(x)); return x - 2; }');
works('asm of old', "$cc cast.c -o p && ./p && $cxx -x c++ cast.c -o p && ./p");
put('warn.c', "int main(void) { int x; x = x; unsigned u = -1; return 0 && u == -1; }\n");
works('-Werror', "$cc -Werror -Weverything -c warn.c");
put('undecl.c', "int main(void) { return undeclared(); }\n");
fails('-Werror is kept for wrong code', "$cc -Werror -c undecl.c", 1, qr/undeclared/);
fails('a function that does not exist', "$cc -w undecl.c -o p", 1, qr/undefined reference to .undeclared/);
put('reg.cpp', "int f(int n) { register int i = n; char c[] = {(char)1, 0}; int a[] = {1.0}; return i + c[0] + a[0]; }\nint main() { return f(0) - 2; }\n");
works('old C++', "$cxx -std=c++17 reg.cpp -o p && ./p");

put('kw.cpp', "template<class T> struct s { template<class U> static U get(U u) { return u; }\n\tT f(T t) { return s<T>::template get(t); } };\nint main() { return s<int>().f(0); }\n");
works('template without arguments', "$cxx -std=c++14 kw.cpp -o p && ./p");

# ---- failures --------------------------------------------------------------------------------

put('bad.c', "int main(void)\n{\n\treturn x;\n}\n");
run("rm -f bad.o; $cc -c bad.c");
is($? >> 8, 1, 'a compile error has clang\'s status');
is(run("$cc -c bad.c"), run('clang-19 -c bad.c'), 'and its message');
ok(!-e 'bad.o', 'and leaves no object');
# What gcc does and clang does not: the last line says what to do. Other errors have no such line.
my $constants = qr/^perdure cc: note: .*functions of <cmath> in constant expressions.*write const instead of constexpr.*\n\z/m;
my $openmp = qr/^perdure cc: note: .*OpenMP.*libomp-19-dev.*\n\z/m;
put('log.cpp', "#include <cmath>\nconstexpr int m = (int)log2(64);\nint main() { return m; }\n");
fails('log2 in a constant', "$cxx -c log.cpp", 1, $constants);
put('pow.cpp', "#include <cmath>\nconstexpr float m = std::pow(2.0f, 3.0f);\nint main() { return m; }\n");
fails('std::pow in a constant', "$cxx -c pow.cpp -fcolor-diagnostics", 1, $constants);
put('own.cpp', "#include <cmath>\nint f(int);\nconstexpr int m = f(64);\nint main() { return m; }\n");
unlike(fails('a function that is no constant', "$cxx -c own.cpp", 1), qr/perdure/, 'no advice');
put('omp.c', "#include <omp.h>\nint main(void) { return 0; }\n");
fails('no omp.h', "$cc -nostdinc -c omp.c", 1, $openmp);
SKIP: {
	skip 'libomp is installed', 2 if run('clang-19 -print-file-name=libomp.so') =~ m{/};
	fails('no libomp', "$cc -fopenmp a.c b.c -o p", 1, $openmp);
}
fails('no such file', "$cc -c nowhere.c", 1, qr/no such file/);
fails('-m32', "$cc -m32 -c b.c", 1, qr/^perdure cc: b\.c: perdure compiles for x86-64 only.*\n\z/);
fails('an output that cannot be', "$cc -c b.c -o nowhere/b.o", 1, qr/nowhere/);
is_deeply([glob 'tmp/*'], [], 'no temporaries are left');
is(run("TMPDIR=/nowhere/at/all $cc -c b.c"),
	"perdure cc: cannot make a directory in /nowhere/at/all: No such file or directory; set TMPDIR\n",
	'no TMPDIR: one line');
isnt($?, 0, 'no TMPDIR: a failure');

system('mkfifo fifo');
my $pid = fork // die;
if (!$pid) {
	open STDIN, '+<', 'fifo';
	exec $cc, '-c', '-x', 'c', '-', '-o', 'killed.o';
}
for (1 .. 500) {
	last if glob 'tmp/*';
	select undef, undef, undef, 0.01;
}
ok(scalar(glob 'tmp/*'), 'it is at work');
kill TERM => $pid;
waitpid $pid, 0;
is($? & 127, 15, 'a signal ends it');
is_deeply([glob 'tmp/*'], [], 'and it cleans up');

# ---- build systems ---------------------------------------------------------------------------

put('conf.c', "char pthread_create(); int main() { return pthread_create(); }\n");
works('a configure check', "$cc -o conf conf.c -lpthread");
put('conf2.c', "char no_such_function(); int main() { return no_such_function(); }\n");
fails('a configure check that must fail', "$cc -o conf conf2.c", 1);
put('Makefile', "CC = $build/tests/cc/perdure cc\nprog: a.o b.o\n\t\$(CC) -o \$@ \$^\n");
works('make with CC of two words', 'make -s clean 2>/dev/null; rm -f a.o b.o; make prog >/dev/null && ./prog', qr/^21$/m);
SKIP: {
	skip 'no cmake', 1 if system('cmake --version >/dev/null 2>&1') != 0;
	mkdir 'cm';
	put('cm/CMakeLists.txt', "cmake_minimum_required(VERSION 3.10)\nproject(toy C CXX)\n"
		. "find_package(Threads REQUIRED)\nadd_library(b SHARED ../b.c)\nadd_executable(p ../a.c)\n"
		. "target_link_libraries(p b Threads::Threads)\nadd_executable(q ../reg.cpp)\n");
	works('cmake', "cd cm && cmake -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=$cc -DCMAKE_CXX_COMPILER=$cxx . "
		. '&& make && ./p', qr/^21$/m);
}

# ---- PATH ------------------------------------------------------------------------------------

mkdir 'first';
symlink "$build/tests/cc/lib/perdure/perdure-cc", "first/$_" for qw(cc clang clang-19);
mkdir 'first/clang++-19';
works('under the name of the compiler behind it', "PATH=$dir/first:\$PATH cc a.c b.c -o p && ./p", qr/^21$/m);
works('past a folder of that name', "PATH=$dir/first:\$PATH $cxx reg.cpp -o q");
put('one.c', "int main(void) { return 0; }\n");
works('build/ in PATH hides no compiler', "PATH=$build:\$PATH make -f /dev/null CC=cc one");

# ---- installed somewhere else ----------------------------------------------------------------

works('moved', "mkdir -p inst/bin inst/lib && cp -r $build/tests/cc/lib/perdure inst/lib/ && "
	. "cp $build/tests/cc/perdure inst/bin/ && inst/bin/perdure cc a.c b.c -o p && ./p", qr/^21$/m);
works('and linked with what lies there', "readelf -d p", qr{\Q$dir\E/inst/lib/perdure});

done_testing();
