#!/usr/bin/env perl
# gen.pl SEED DIR - writes DIR/prog.c, a program with 2 to 6 independent crash-consistency bugs, and DIR/planted, which
# lists them: number, kind, the cause that a report must name, the line of the store, and the function that notices it.
#
# A program is a row of cells, each in cache lines of its own, with a function that writes it and one that verifies it.
# Recovery verifies all cells. Cells between the bugs are right. The seed decides the kinds, their order, whether the
# writers are functions or all in main, who stores, how a verification fails, how it is compiled, and how recovery is
# started.
use strict;
use warnings;

my ($seed, $dir) = @ARGV;
die "usage: gen.pl SEED DIR\n" unless defined $dir && $seed =~ /^\d+$/;

# A generator of our own: the same program for the same seed, whatever perl this is.
my $state = $seed;
sub below {
	my ($n) = @_;
	$state = ($state + 0x9e3779b9) & 0xffffffff;
	my $x = $state;
	for my $factor (0x21f0aaad, 0x735a2d97) {
		$x ^= $x >> 16;
		$x = ($x * $factor) & 0xffffffff;
	}
	return ($x ^ $x >> 15) % $n;
}
sub pick { return $_[below(scalar @_)] }

my @kinds = qw(flush fence order atomic lock hang torn wrong nt pair range second skipped exchange);
my %cause = (flush => 'missing-flush', fence => 'missing-fence', order => 'order', atomic => 'not-atomic',
	lock => 'lock-held', hang => 'not-atomic', torn => 'torn', wrong => 'wrong-flush-target', nt => 'missing-fence',
	pair => 'order', range => 'missing-flush', second => 'missing-flush', skipped => 'missing-flush', exchange => 'order');

my $bugs = 2 + below(5);
my $inline = below(3) == 0;          # all writers in main
my $fail = pick(qw(assert exit same die abort check));
my $recover = below(2);              # a command of its own
my $helper = below(4) == 0;          # stores are made by a function
my $level = pick(qw(-O0 -O1 -O2));
my $value = 0x1000 + below(0x1000);

# ---- what a cell is written and verified by: {S} is the store that is to blame ----

sub w { my ($i, $k) = @_; return "p->cell[$i].w[$k][0]" }

sub writer {
	my ($kind, $i) = @_;
	my ($a, $b, $c) = map { w($i, $_) } 0 .. 2;
	my $v = $value + $i;
	my %lines = (
		right => ["$a = $v;", "persist(&$a);", "$b = 1;", "persist(&$b);"],
		flush => ["{S}$a = $v;", "$b = 1;", "persist(&$b);"],
		fence => ["{S}$a = $v;", "flush(&$a);", "$b = 1;", "persist(&$b);"],
		order => ["{S}$a = $v;", "$b = 1;", "persist(&$b);", "persist(&$a);"],
		atomic => ["{S}$a = $v;", "persist(&$a);", "$b = $v;", "persist(&$b);"],
		lock => ["{S}$a = 1;", "persist(&$a);", "$b = $v;", "persist(&$b);", "$a = 0;", "persist(&$a);"],
		hang => ["$b = 2;", "persist(&$b);", "$c = 1;", "persist(&$c);", "{S}$a = 1;", "persist(&$a);",
			"$c = 0;", "persist(&$c);"],
		wrong => ["{S}$a = $v;", "persist(&$c);", "$b = 1;", "persist(&$b);"],
		nt => ["{S}_mm_stream_si64((long long *)&$a, $v);", "$b = 1;", "persist(&$b);"],
		pair => ["{S}$a = $v;", "$b = 1;", "flush(&$a);", "flush(&$b);", "_mm_sfence();"],
		range => ["{S}memcpy(p->cell[$i].w[0], two_lines, sizeof(two_lines));", "persist(&$a);", "$c = 1;", "persist(&$c);"],
		second => ["$a = 1;", "persist(&$a);", "{S}$a = $v;", "$b = 1;", "persist(&$b);"],
		skipped => ["{S}$a = $v;", "if ($c)", "\tpersist(&$a);", "$b = 1;", "persist(&$b);"],
		exchange => ["{S}$a = $v;", "__atomic_exchange_n(&$b, 1, __ATOMIC_SEQ_CST);", "persist(&$a);", "persist(&$b);"],
		torn => ["{S}memcpy(p->cell[$i].w[0], record, sizeof(record));", "persist(&$a);"],
	);
	return @{$lines{$kind}};
}

sub condition {
	my ($kind, $i) = @_;
	my ($a, $b, $c) = map { w($i, $_) } 0 .. 2;
	my $v = $value + $i;
	return "$a == $b" if $kind eq 'atomic';
	return "p->cell[$i].w[0][0] == p->cell[$i].w[0][1] && p->cell[$i].w[0][1] == p->cell[$i].w[0][2]" if $kind eq 'torn';
	return "!$c || p->cell[$i].w[1][7] == 9" if $kind eq 'range';
	return "!$b || $a == $v";
}

sub verifier {
	my ($kind, $i) = @_;
	return ("while (" . w($i, 0) . ")", "\t__builtin_ia32_pause();") if $kind eq 'lock';
	return ("for (uint64_t at = " . w($i, 0) . "; at; at = p->cell[$i].w[at][0])", "\t;") if $kind eq 'hang';
	my $ok = condition($kind, $i);
	return ("assert($ok);") if $fail eq 'assert';
	return ("if (!($ok))", "\texit(" . (10 + $i) . ");") if $fail eq 'exit';
	return ("if (!($ok))", "\texit(3);") if $fail eq 'same';
	return ("if (!($ok))", "\tdie(\"cell $i\");") if $fail eq 'die';
	return ("if (!($ok))", "\tabort();") if $fail eq 'abort';
	return ("pd_check($ok);");
}

# ---- the program ----

my (@cells, @out, @planted);
for my $n (1 .. $bugs) {
	push @cells, 'right' if below(2);
	push @cells, $kinds[below(scalar @kinds)];
}
push @cells, 'right';

sub put { push @out, @_ }
sub put_body {
	my ($i) = @_;
	for my $line (writer($cells[$i], $i)) {
		my $blamed = $line =~ s/^\{S\}//;
		$line =~ s/^(p->.*) = (\w+);$/set(&$1, $2);/ if $helper;
		put("\t$line");
		push @planted, [$i, $cells[$i], $cause{$cells[$i]}, scalar @out, "verify_$i"] if $blamed;
	}
}

put(split /\n/, <<"C");
#include <assert.h>
#include <fcntl.h>
#include <emmintrin.h>
#define _mm_clwb __builtin_ia32_clwb /* immintrin.h takes long to compile */
#include <perdure.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct pool {
	struct {
		uint64_t w[3][8];
	} cell[${\scalar @cells}];
};

static const uint64_t record[3] = {7, 7, 7};
static const uint64_t two_lines[16] = {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};

__attribute__((noinline)) static void set(uint64_t *p, uint64_t v)
{
	*p = v;
}

static void flush(const void *p)
{
	_mm_clwb((void *)p);
}

static void persist(const void *p)
{
	flush(p);
	_mm_sfence();
}

__attribute__((noinline)) static void die(const char *what)
{
	fprintf(stderr, "%s is wrong\\n", what);
	exit(4);
}

C
for my $i (0 .. $#cells) {
	put("static void verify_$i(struct pool *p)", '{', map({ "\t$_" } verifier($cells[$i], $i)), '}', '');
	next if $inline;
	put("static void write_$i(struct pool *p)", '{');
	put_body($i);
	put('}', '');
}
put('int main(int argc, char **argv)', '{',
	"\tint fd = open(argv[1], O_RDWR | O_CREAT, 0644);",
	"\tstruct pool *p;", '',
	"\tif (fd < 0 || ftruncate(fd, sizeof(*p)) != 0)", "\t\treturn 2;",
	"\tp = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);",
	"\tif (p == MAP_FAILED)", "\t\treturn 2;",
	"\t(void)die;", "\t(void)record;", "\t(void)two_lines;", "\t(void)set;");
put("\tverify_$_(p);") for 0 .. $#cells;
put("\tif (argc > 2)", "\t\treturn 0;");
for my $i (0 .. $#cells) {
	$inline ? put_body($i) : put("\twrite_$i(p);");
}
put("\treturn 0;", '}');

open my $c, '>', "$dir/prog.c" or die "gen.pl: $dir/prog.c: $!\n";
print $c "$_\n" for @out;
close $c;
open my $p, '>', "$dir/planted" or die "gen.pl: $dir/planted: $!\n";
print $p "recover $recover\n", "level $level\n";
print $p join(' ', @$_), "\n" for @planted;
close $p;
