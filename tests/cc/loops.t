#!/usr/bin/perl
# Loops in two versions: the same events as without (events.pl says which loads may be missing), and code
# outside PM as the native compiler has it.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Temp 'tempdir';
use Test::More;

my $src = abs_path($0) =~ s{[^/]*$}{}r;
my $build = abs_path($ENV{PERDURE_BUILD} || 'build');
my ($cc, $cxx) = ("$build/tests/cc/perdure-cc", "$build/tests/cc/perdure-c++");
my $dir = tempdir(CLEANUP => 1);
chdir $dir or die;
require "$src/events.pl";

sub put {
	my ($name, $text) = @_;
	open my $f, '>', $name or die;
	print $f $text;
	close $f;
}

# ---- the same events -------------------------------------------------------------------------

is(system("clang++-19 -w -O2 $src/loops.cpp -o native"), 0, 'loops compile natively');
my $native = `./native`;
my $events;
for my $level ('-O0', '-O1', '-O2', '-O3', '-Os', '-O3 -march=x86-64-v3', '-O2 -fno-strict-aliasing') {
	next if $level =~ /v3/ && slurp('/proc/cpuinfo') !~ /\bavx2\b/;
	if (system("$cxx -w $level $src/loops.cpp -o p") != 0) {
		fail("loops $level compile");
		next;
	}
	is(first_difference(scalar(`PD_TRACE=trace ./p`), $native), '', "loops $level print what they do natively");
	my $got = slurp('trace');
	$events //= $got;
	is(difference($got, $events), '', "loops $level: the events of code that is not optimised");
}
cmp_ok(scalar(() = $events =~ /\n/g), '>', 1200, 'there are events');
my %kind;
$kind{$1}++ while $events =~ /^\d+ (\w+)@/mg;
cmp_ok($kind{load} // 0, '>', 100, 'loads');
cmp_ok($kind{store} // 0, '>', 100, 'stores');

# ---- a very long function --------------------------------------------------------------------

# The optimiser compares all branches on one condition with each other.
put('long.c', "struct s { long a[64]; int b[64]; struct s *n; };\n"
	. "long f(struct s *p, struct s *q, int k)\n{\n\tlong r = 0;\n"
	. join('', map { "\tif (k > @{[$_ % 7]})\n\t\tp->a[@{[$_ % 64]}] = q->b[@{[$_ * 7 % 64]}] + k;\n"
		. "\telse\n\t\tr += p->n->a[(k + $_) & 63];\n" } 1 .. 500)
	. "\treturn r;\n}\n");
is(system("$cc -O2 -S -emit-llvm long.c -o long.ll"), 0, 'a function with 1,500 accesses compiles');
my ($ir, %branches) = slurp('long.ll');
$branches{$1}++ while $ir =~ /\bbr i1 (%\S+),/g;
my ($most) = sort { $b <=> $a } values %branches;
cmp_ok(scalar(keys %branches), '>', 3, 'it asks');
cmp_ok($most, '<', 700, 'and the same question some hundred times at most');

# ---- code outside PM -------------------------------------------------------------------------

sub assembly {
	my ($name, $compiler, $options) = @_;
	system("$compiler -w -S $options $name -o out.s") == 0 or return '';
	return slurp('out.s');
}

put('saxpy.c', <<'END');
#include <stddef.h>
void saxpy(size_t n, float a, const float *x, float *y)
{
	for (size_t i = 0; i < n; i++)
		y[i] += a * x[i];
}
END
put('vector.cpp', <<'END');
#include <cstddef>
#include <vector>
using std::size_t;
void scale(std::vector<float> &v, const std::vector<float> &w)
{
	auto f = [&](size_t i) { v[i] *= w[i]; };
	for (size_t i = 0; i < v.size(); i++)
		f(i);
}
END
like(assembly('saxpy.c', 'clang-19', '-O2'), qr/\bmulps\b/, 'clang vectorises the loop');
like(assembly('saxpy.c', $cc, '-O2'), qr/\bmulps\b/, 'so it is with perdure');
like(assembly('saxpy.c', $cc, '-O2'), qr/__pd_load4/, 'and still calls hooks for PM');
unlike(assembly('saxpy.c', $cc, '-O0'), qr/\bmulps\b/, 'not without -O');
like(assembly('vector.cpp', $cxx, '-O2'), qr/\bmulps\b/, 'a lambda over vectors that are read in the loop');

# Which way a search goes is selected, not jumped: both loads are one.
put('tree.c', <<'END');
struct node { struct node *left, *right; unsigned key; };
struct node *find(struct node *n, unsigned key)
{
	struct node *last = 0;

	while (n) {
		if (n->key < key) {
			n = n->right;
		} else {
			last = n;
			n = n->left;
		}
	}
	return last;
}
END
like(assembly('tree.c', 'clang-19', '-O2'), qr/\bcmov/, 'clang has no branch in a search');
like(assembly('tree.c', $cc, '-O2'), qr/\bcmov/, 'nor has perdure');

# ---- the size --------------------------------------------------------------------------------

sub text_size {
	my ($name, $compiler, $options) = @_;
	system("$compiler -w -c $options $name -o out.o") == 0 or return 0;
	my $n = 0;
	for (split /\n/, `size -A out.o`) { $n += $1 if /^\.text\S*\s+(\d+)/ }
	return $n;
}

# The version without hooks is added, not multiplied: about what the native compiler makes of it.
sub sizes {
	my $name = shift;
	my ($versions, $one) = map { text_size($name, $cc, $_) } '-O2', '-Os';
	my $native = text_size($name, 'clang-19', '-O2');
	cmp_ok($versions, '>', 0, "$name compiles");
	cmp_ok($versions, '<', $one + 3 * $native, "$name: versions are few") or diag("$versions, $one, $native");
}

put('large.c', "void f(int **p, int n) {\nfor (int i = 0; i < n; i++) {\n"
	. join('', map { "p[$_][i] += $_;\n" } 1 .. 200) . "}\n}\n");
sizes('large.c');
put('many.c', "void f(" . join(', ', map { "int *p$_" } 1 .. 16) . ", int n) {\nfor (int i = 0; i < n; i++) {\n"
	. join('', map { "p$_\[i] += i;\n" } 1 .. 16) . "}\n}\n");
sizes('many.c');

# A nest of loops, each with pointers of its own, does not grow with the power of its depth.
put('nest.c', "void f(" . join(', ', map { "int *p$_" } 1 .. 8) . ", int n) {\n"
	. join('', map { "for (int i$_ = 0; i$_ < p$_\[0]; i$_++) {\np$_\[i$_] += i$_;\n" } 1 .. 8)
	. ('}' x 8) . "}\n");
sizes('nest.c');

done_testing();
