#!/usr/bin/perl
# Loads that are only looked at (src/cc/crash/view.c). Each returns another value that looks the same, and no
# program may notice: PD_TRACE_ALIKE of trace_rt.c. Functions of which that is known to be possible, or not to be,
# and random ones. SEED= and RUNS= are for longer runs.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Temp 'tempdir';
use Test::More;

my $build = abs_path($ENV{PERDURE_BUILD} || 'build');
my $dir = tempdir(CLEANUP => 1);
my ($seed, $runs) = ($ENV{SEED} // 1, $ENV{RUNS} // 1);
chdir $dir or die;

# ---- functions ------------------------------------------------------------------------------------

# Of a word `*p` (type T), arguments a and b: whether other values may take its place.
my @known = (
	[1, 'uint64_t', 'return *p == a;'],
	[1, 'uint64_t', 'return *p % 2 ? 5 : 7;'],
	[1, 'uint32_t', 'return (*p & 12) + 1;'],
	[1, 'uint8_t', 'return *p & 4 ? a : b;'],
	[1, 'int32_t', 'return *p < (int32_t)a || *p > (int32_t)b;'],
	[1, 'int64_t', 'return (int64_t)a < *p;'],
	[1, 'uint64_t', 'return (uint8_t)*p;'],
	[1, 'uint64_t', 'return (*p >> 8) == (a >> 8);'],
	[1, 'uint64_t', 'switch (*p) { case 1: return 3; case 7: return 4; case 9: return a; default: return b; }'],
	[1, 'uint64_t', 'long n = 0; for (uint64_t i = 0; i < *(volatile T *)p % 64; i++) n += i * 3; return n;'],
	[1, 'uint64_t', 'return __atomic_load_n(p, __ATOMIC_ACQUIRE) == a ? 1 : 2;'],
	[1, 'uint64_t', 'int order = __ATOMIC_ACQUIRE; return __atomic_load_n(p, order) == a ? 1 : 2;'], # as std::atomic does
	[1, 'uint64_t', 'return *(volatile T *)p > a;'],
	[1, 'char *', 'return !*p;'],
	[1, 'uint16_t', 'return (*p ^ 0x55) == (uint16_t)a;'],
	[1, 'uint64_t', 'return *p / 4096 == a / 4096;'],
	[0, 'uint64_t', 'return *p;'],
	[0, 'uint64_t', 'return *p == a ? *p : 0;'],
	[0, 'uint64_t', 'sink = *p; return 1;'],
	[0, 'uint64_t', 'return *p == (uint64_t)(uintptr_t)p + pure(b);'], # computed after the load, perhaps
	[1, 'uint64_t', 'uint64_t v = *(volatile T *)p; return v == *(volatile T *)(p + 1);'], # the second one
	[1, 'uint64_t', 'uint64_t k; return (p[1] == (k = *p)) * 3 + k;'], # the first one: the other comes before it
	[0, 'uint64_t', 'uint64_t k, v = p[1]; sink = 1; k = *p; return (v == k) * 3 + k;'], # which it must not here
	[1, 'int32_t', 'return *p > (int)a - 3;'],
	[0, 'int64_t', 'int64_t v = *p; sink = 1; return v > (int64_t)sink;'], # not known when it loads
	[0, 'int32_t', 'return *p + 1 < (int32_t)a;'], # has no result for INT_MAX
	[0, 'uint64_t', 'uint64_t v = *p; for (int i = 0; i < 3; i++) v = v * 3 + a; return v;'],
	[0, 'uint64_t', 'return pure(*p);'],
	[0, 'double', 'return *p > 1;'],
);

sub function {
	my ($name, $type, $body) = @_;
	$body =~ s/\bT\b/$type/g;
	return "__attribute__((noinline)) uint64_t $name($type *p, uint64_t a, uint64_t b)\n{\n\t$body\n}\n";
}

sub one_of { return $_[rand @_] }

# Something that is made of a value with constants.
sub made {
	my ($of, $depth) = @_;
	return $of if $depth > 2 || rand() < 0.3;
	my $k = 1 + int rand 7;
	return one_of("(" . made($of, $depth + 1) . " & $k)", "(" . made($of, $depth + 1) . " >> " . int(rand 7) . ")",
		"(" . made($of, $depth + 1) . " | $k)", "(" . made($of, $depth + 1) . " ^ $k)",
		"((" . one_of(qw(uint8_t int8_t uint16_t int16_t uint32_t int32_t uint64_t int64_t)) . ")" . made($of, $depth + 1) . ")",
		"((uint32_t)" . made($of, $depth + 1) . " + " . int(rand 9) . "u)", "((uint32_t)" . made($of, $depth + 1) . " % ${k}u)",
		"((uint64_t)" . made($of, $depth + 1) . " / ${k}u)", "((uint64_t)" . made($of, $depth + 1) . " << " . int(rand 4) . ")");
}

sub condition {
	my $of = shift;
	my $r = rand;
	return made($of, 0) . one_of(' == ', ' != ', ' < ', ' > ', ' <= ', ' >= ') . one_of('a', 'b', '(int32_t)a', '(int8_t)b', int(rand 9), -1)
		if $r < 0.6;
	return made($of, 0) . ' & ' . (1 << int rand 6) if $r < 0.8;
	return 'a > ' . made($of, 0);
}

sub random_body {
	my $body = "uint64_t r = 0;\n\tT v = " . one_of('*p', '*p', '*(volatile T *)p', '__atomic_load_n(p, __ATOMIC_RELAXED)') . ";\n";
	for (1 .. 1 + rand 3) {
		my $r = rand;
		$body .= $r < 0.6 ? "\tif (" . condition('v') . ") r += " . (1 + int rand 50) . "; else r *= 3;\n"
			: $r < 0.8 ? "\tr += (uint64_t)" . made('v', 0) . " & 3;\n"
			: "\tfor (uint64_t i = 0; i < 5; i++) if (" . condition('v') . ') r = r * 7 + i' . one_of('', '; else break') . ";\n";
	}
	return "$body\treturn r;";
}

# ---- programs -------------------------------------------------------------------------------------

sub program {
	my (@functions) = @_;
	my ($text, $calls) = ('', '');
	for my $i (0 .. $#functions) {
		my (undef, $type, $body) = @{$functions[$i]};
		$text .= function("f$i", $type, $body);
		$calls .= "(function *)f$i, ";
	}
	my $n = @functions;
	return <<"END";
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

__attribute__((weak)) extern unsigned long pd_trace_alike;
static unsigned long alike(void) { return &pd_trace_alike ? pd_trace_alike : 0; }
static volatile uint64_t sink;
__attribute__((noinline, pure)) uint64_t pure(uint64_t v) { return v * 3 + sink; }
$text
typedef uint64_t function(void *p, uint64_t a, uint64_t b);
static function *const functions[] = {$calls};

static void draw(char *pm, int i, uint64_t *a, uint64_t *b)
{
	static uint64_t s = 1;
	uint64_t w[2];

	for (int k = 0; k < 2; k++) {
		s = s * 6364136223846793005 + 1442695040888963407;
		w[k] = i % 3 ? s >> 60 : i % 2 ? s >> 33 : s ^ s >> 31;
	}
	memcpy(pm, w, sizeof(w));
	s = s * 6364136223846793005 + 1442695040888963407;
	*a = i % 4 == 0 ? w[0] : s >> 60;
	*b = s >> 40 & 15;
}

int main(void)
{
	char *pm = mmap((void *)(1ULL << 44), 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	unsigned long n[$n] = {0};
	uint64_t a, b;

	for (int k = 0; k < $n; k++)
		for (int i = 0; i < 200; i++) {
			unsigned long was = alike();

			draw(pm, i, &a, &b);
			printf("%d %d %llx\\n", k, i, (unsigned long long)functions[k](pm, a, b));
			n[k] += alike() - was;
		}
	for (int i = 0; i < $n; i++)
		fprintf(stderr, "%d %lu\\n", i, n[i]);
	return 0;
}
END
}

sub slurp { local (@ARGV, $/) = (shift); return scalar <> }

# What it prints, and how often each function got another value.
sub run {
	my ($how) = @_;
	my $out = `$how ./p 2>counts`;
	return ($? ? "status $?" : $out, map { (split)[1] } split /\n/, slurp('counts'));
}

sub check {
	my ($name, $level, @functions) = @_;
	open my $f, '>', 'p.c' or die;
	print $f program(@functions);
	close $f;
	return fail("$name compiles, $level") if system("$build/tests/cc/perdure-cc -w $level p.c -o p") != 0;
	my ($plain) = run('');
	my ($other, @counts) = run("PD_TRACE_ALIKE=$seed");
	my ($same) = grep { (split /\n/, $plain)[$_] ne (split /\n/, $other)[$_] } 0 .. ($plain =~ tr/\n//) - 1;
	ok($plain eq $other && length $plain > 200, "$name: what looks the same is the same, $level") or
		diag('first difference: ', defined $same ? (split /\n/, $plain)[$same] : 'length', "\n", slurp('p.c'));
	return @counts;
}

for my $level ('-O2') {
	my @counts = check('known functions', $level, @known);
	my @wrong = grep { ($counts[$_] > 0) != $known[$_][0] } 0 .. $#known;
	is(join("\n", map { "$known[$_][2] ($counts[$_])" } @wrong), '', "who may get another value, $level");
}
for my $s ($seed .. $seed + $runs - 1) {
	srand $s;
	my @functions = map { [0, one_of(qw(uint64_t int64_t uint32_t int32_t uint16_t int16_t uint8_t int8_t)), random_body()] } 1 .. 16;
	$_->[2] =~ s/\bT\b/$_->[1]/g for @functions;
	my @counts = check("SEED=$s RUNS=1", one_of('-O1', '-O2', '-Os'), @functions);
	cmp_ok(scalar(grep { $_ } @counts), '>', 5, 'many of them get other values');
}
done_testing();
