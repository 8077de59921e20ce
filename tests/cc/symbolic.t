#!/usr/bin/perl
# What labels say is what programs compute: the cases of symbolic/, and random functions, each with inputs that take the same
# path (symbolic/harness.c). SEED=n COUNT=n LEVELS='0 2': other random functions, more of them, other levels.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Temp 'tempdir';
use Test::More;

my $build = abs_path($ENV{PERDURE_BUILD} || 'build');
my $here = abs_path('tests/cc/symbolic');
my ($cc, $cxx) = map { "$build/tests/cc/symbolic/perdure-$_" } qw(cc c++);
my $dir = tempdir(CLEANUP => 1);
my $seed = $ENV{SEED} // 1;
my $count = $ENV{COUNT} // 12;
my @levels = split ' ', $ENV{LEVELS} // '0 2';
chdir $dir or die;

# Each line says whether a case is fine, and how many inputs were on the path of the one that had labels.
sub try_it {
	my ($what, $program, $runs, $seed) = @_;
	my $said = `timeout 120 ./$program $runs $seed 2>&1`;
	is($?, 0, "$what: all cases are fine") or diag($said);
	my @few = grep { /^fine (\S+) (\d+)/ && $2 < $runs } split /\n/, $said;
	is("@few", '', "$what: and each was tried");
	return $said;
}

for my $o (@levels) {
	is(system("$cc --symbolic -w -O$o -o c$o $here/cases.c"), 0, "-O$o compiles");
	my $said = try_it("-O$o", "c$o", 3, $seed);
	# Nothing decides there: every input is on the path.
	for my $name (qw(arith_64 compare_8 casts wide overflow fields structs varargs blocks recursion crc vectors)) {
		like($said, qr/^fine $name 1200$/m, "-O$o: $name decides nothing");
	}
}
is(system("$cxx --symbolic -w -O2 -o cxx $here/cases.cpp -lpthread"), 0, 'C++ compiles');
try_it('C++', 'cxx', 3, $seed);

# ---- random functions -------------------------------------------------------------------------------

srand($seed);
sub pick { return $_[rand @_] }
my @types = qw(u8 u16 u32 u64 int8_t int16_t int32_t int64_t);

sub expression {
	my ($depth) = @_;
	return pick("v" . int(rand 8), "v" . int(rand 8), "l[" . int(rand 16) . "]", int(rand 300) - 100) if $depth <= 0;
	my ($a, $b) = (expression($depth - 1), expression($depth - 1 - int rand 2));
	my $t = pick(@types);
	return pick(
		"($t)($a + $b)", "($t)($a - $b)", "($t)($a * $b)", "(u64)($a) ^ (u64)($b)", "(u32)($a) & (u32)($b)", "(u64)($a) | (u16)($b)",
		"($t)((u64)($a) << ((u64)($b) & 31))", "($t)((u64)($a) >> ((u64)($b) & 63))", "((int64_t)($a) >> ((u64)($b) & 63))",
		"(($t)($a) < ($t)($b))", "(($t)($a) == ($t)($b))", "(($t)($a) >= ($t)($b))", "(u32)($a) / (((u32)($b) & 15) + 1)",
		"(int32_t)($a) % (int32_t)(((u32)($b) & 63) + 2)", "(($t)($a) ? ($b) : ($t)(($a) + 1))", "l[(u64)($a) & 15]",
		"__builtin_popcountll($a)", "(u32)__builtin_bswap32((u32)($a))", "helper(($t)($a), $b)", "~($t)($a)", "-(u64)($a)");
}

sub statement {
	my ($depth) = @_;
	my $what = int rand 9;
	return "v" . int(rand 8) . " = " . expression(2) . ";" if $depth <= 0 || $what < 4;
	return "l[" . int(rand 16) . "] = (u8)(" . expression(2) . ");" if $what == 4;
	return "l[(u64)(" . expression(1) . ") & 15] = (u8)(" . expression(1) . ");" if $what == 5;
	return "if (" . expression(1) . ") { " . statement($depth - 1) . statement($depth - 1) . " } else { " . statement($depth - 1) . " }" if $what == 6;
	return "for (int i = 0; i < " . (1 + int rand 4) . "; i++) { " . statement($depth - 1) . " l[i] += (u8)v" . int(rand 8) . "; }" if $what == 7;
	return "switch ((u64)(" . expression(1) . ") & 7) { case 0: case 3: " . statement($depth - 1) . " break; case 5: " . statement($depth - 1) .
		" default: " . statement($depth - 1) . " }";
}

my $source = join '', map { "typedef $_->[0] $_->[1];\n" } ['unsigned char', 'u8'], ['unsigned short', 'u16'], ['unsigned', 'u32'],
	['unsigned long', 'u64'], ['signed char', 'int8_t'], ['short', 'int16_t'], ['int', 'int32_t'], ['long', 'int64_t'];
$source .= "extern int pd_symbolic_test(const void *cases, int n, int runs, u32 seed); int atoi(const char *);\n" .
	"__attribute__((noinline)) static u64 helper(u64 a, u64 b) { return a > b ? a - b * 3 : a ^ b; }\n";
for my $i (0 .. $count - 1) {
	$source .= "static void f$i(const u8 *in, u8 *out)\n{\n\tu8 l[16];\n";
	$source .= "\t" . pick(@types) . " v$_ = *(const " . pick(@types) . " *)(in + " . int(rand 9) . ");\n" for 0 .. 7;
	$source .= "\tfor (int k = 0; k < 16; k++) l[k] = in[k] & (u8)(k * 37);\n";
	$source .= "\t" . statement(2) . "\n" for 1 .. 6;
	$source .= "\t*(u64 *)(out + $_ * 6) = (u64)v$_;\n" for 0 .. 7;
	$source .= "\tfor (int k = 0; k < 8; k++) out[56 + k] = l[k] ^ l[k + 8];\n}\n";
}
$source .= "int main(int argc, char **argv) { static const struct { const char *name; void (*run)(const u8 *, u8 *); int pins; } c[] = {" .
	join(',', map { "{\"f$_\", f$_, -1}" } 0 .. $count - 1) . "}; (void)argc; return pd_symbolic_test(c, $count, atoi(argv[1]), (u32)atoi(argv[2])); }\n";
open my $f, '>', 'random.c' or die;
print $f $source;
close $f;
for my $o (@levels) {
	is(system("$cc --symbolic -w -fwrapv -O$o -o r$o random.c"), 0, "SEED=$seed -O$o: random functions compile");
	try_it("SEED=$seed -O$o random functions", "r$o", 2, $seed);
}

# ---- events are those of mode crash -----------------------------------------------------------------

my %trace;
for my $mode ('', '--symbolic') {
	is(system("$build/tests/cc/perdure-cc $mode -w -O2 -o insn $here/../insn.c"), 0, "insn.c compiles ($mode)");
	my $said = `PD_TRACE=insn.trace ./insn`;
	open my $t, '<', 'insn.trace' or die;
	# With labels a function that is called through a pointer is known, and that it copies a block.
	$trace{$mode} = [$said, map { s/ strcpy\(\)\K!b$//r } <$t>];
	close $t;
}
cmp_ok(scalar @{$trace{''}}, '>', 100, 'insn.c has events');
is_deeply($trace{'--symbolic'}, $trace{''}, 'and the same ones with labels');

# ---- a program on its own ---------------------------------------------------------------------------

open $f, '>', 'own.c' or die;
print $f 'int puts(const char *); int main(void) { puts("ran"); return 0; }' . "\n";
close $f;
is(system("$build/perdure-cc --symbolic -O2 -o own own.c"), 0, 'a program');
is(`./own`, "ran\n", 'runs as it is');
is(`(ulimit -v 10000000; ./own) 2>&1`, "perdure: no address space for labels; is it limited (ulimit -v)?\n", 'or says why it cannot');
open $f, '>', 'other.c' or die;
print $f "int other(void) { return 1; }\n";
close $f;
system("$build/perdure-cc -c other.c; $build/perdure-cc --symbolic -o mixed own.c other.o");
like(`./mixed 2>&1`, qr/recompile 'other.c' with 'perdure cc --symbolic'/, 'objects of another mode are refused');

done_testing();
