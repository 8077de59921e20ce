#!/usr/bin/perl
# Random programs over two objects that may be one: optimised, they print what they do natively, and tell what
# they tell without (events.pl). SEED= and RUNS= are for longer runs.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Temp 'tempdir';
use Test::More;

my $src = abs_path($0) =~ s{[^/]*$}{}r;
my $build = abs_path($ENV{PERDURE_BUILD} || 'build');
my $dir = tempdir(CLEANUP => 1);
my $seed = $ENV{SEED} // 4;
my $runs = $ENV{RUNS} // 3;
chdir $dir or die;
require "$src/events.pl";

# ---- programs --------------------------------------------------------------------------------

my @places = qw(a->x a->y a->s a->f a->v[2] a->v[i%4] b->x b->y b->s b->f b->v[i%4] *q a->n->x a->n->s
	a->n->v[i%4] b->n->y c.x c.v[i%4]);
my @ends = ('_mm_sfence();', '_mm_clflush(a);', 'call(a);', '__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);',
	'seen = t;', 't += pure(a);', '__asm__ volatile("" ::: "memory");');
my $counters;

sub one_of { return $_[rand @_] }

sub expression {
	my $depth = shift;
	my $r = int rand 10;
	return one_of(@places) if $r < 5 || $depth > 2;
	return int rand 9 if $r == 5;
	return 't' if $r == 6;
	return '(' . expression($depth + 1) . one_of(' + ', ' ^ ', ' - ') . expression($depth + 1) . ')';
}

sub block { my $depth = shift; return join "\n", map { statement($depth + 1) } 1 .. 1 + rand 3 }

sub statement {
	my $depth = shift;
	my $r = int rand 15;
	return 't += ' . expression(0) . ';' if $r < 5;
	return one_of(@places) . ' = ' . expression(0) . ';' if $r < 8;
	return one_of(@ends) if $r == 8;
	return '(void)' . expression(0) . ';' if $r == 9;
	return 't ^= small(' . one_of('a', 'b') . ', i);' if $r == 10;
	return 'i++;' if $r == 11 || $depth > 2;
	return 'if (' . expression(0) . " & 1) {\n" . block($depth) . "\n} else {\n" . block($depth) . "\n}" if $r == 12;
	my $k = 'k' . $counters++;
	my $limit = one_of(4, '(int)(' . expression(0) . ' & 3)');
	return "for (int $k = 0; $k < $limit; $k++) {\n" . block($depth) . "\n}" if $r == 13;
	return "for (int $k = 0; $k < 4 && (" . expression(0) . " & 7) != 1; $k++, i++) {\n" . block($depth) . "\n}";
}

sub program {
	$counters = 0;
	my $body = join "\n", map { statement(0) } 1 .. 10;
	return <<"END";
#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

struct s {
	int64_t x, y;
	int v[4];
	short s;
	struct s *n;
	uint32_t f : 5, g : 27;
};

__attribute__((weak)) void pd_trace(int on);
static volatile int64_t seen;
static int count;

__attribute__((noinline)) void call(struct s *a) { a->x++; }
__attribute__((noinline, pure)) int64_t pure(struct s *a) { return a->y; }

static int64_t small(struct s *p, unsigned i)
{
	int64_t r = p->x;

	for (unsigned k = 0; k < 3; k++)
		r += p->v[(i + k) & 3] * p->y;
	return r + p->x;
}

__attribute__((noinline)) int64_t f(struct s *a, struct s *b, int64_t *q)
{
	int64_t t = 0;
	unsigned i = 0;
	struct s c = {0};

$body
	return t + c.x;
}

int main(void)
{
	char *pm = mmap((void *)(1ULL << 44), 65536, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	struct s *x = (struct s *)pm, *y = x + 1;

	for (int r = 0; r < 4; r++) {
		int64_t v;

		for (int k = 0; k < 512; k++)
			pm[k] = (char)(k * 7 + r);
		x->n = r & 1 ? y : x;
		y->n = r & 2 ? x : y;
		if (pd_trace)
			pd_trace(1);
		v = f(x, r == 1 ? x : y, r == 2 ? &x->x : r == 3 ? &y->y : (int64_t *)(pm + 256));
		if (pd_trace)
			pd_trace(0);
		printf("%lld %lld %d\\n", (long long)v, (long long)seen, count);
		for (int k = 0; k < 512; k++)
			printf("%d ", pm[k]);
		putchar('\\n');
	}
	return 0;
}
END
}

# ---- and what they tell ----------------------------------------------------------------------

my ($all, $left) = (0, 0);
for my $s ($seed .. $seed + $runs - 1) {
	srand $s;
	open my $f, '>', 'p.c' or die;
	print $f program();
	close $f;
	is(system('clang-19 -w -fwrapv -O2 p.c -o native'), 0, "program $s compiles natively");
	my ($native, $events) = scalar(`./native`);
	for my $level ('-O0', '-O1', '-O2') {
		is(system("$build/tests/cc/perdure-cc -w -fwrapv $level p.c -o p"), 0, "SEED=$s RUNS=1 compiles, $level");
		is(scalar(`PD_TRACE=trace ./p`), $native, "SEED=$s RUNS=1 prints what it does natively, $level");
		my $got = slurp('trace');
		$events //= $got;
		is(difference($got, $events), '', "SEED=$s RUNS=1: the events, $level") if $level ne '-O0';
		my $n = () = $got =~ / loadb?@/g;
		$level eq '-O0' ? ($all += 2 * $n) : ($left += $n);
	}
}
cmp_ok($left, '<', $all, "$left of $all loads are left");

done_testing();
