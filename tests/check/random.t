#!/usr/bin/perl
# Random programs: the lazy exploration, the one that splits all reads by value, the one without increments and the
# eager one see the same recoveries. A failing program is printed, with the command that makes it again.
#
# Each program has a few variables on two or three lines, some stores, flushes and fences, and a recovery
# that reads them in an order that depends on what it has read.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Temp qw(tempdir);

my $top = abs_path(dirname(__FILE__) . '/../..');
my $perdure = ($ENV{PERDURE_BUILD} || "$top/build") . '/perdure';
my ($count, $seed) = (shift // 12, shift // 1);
my $dir = tempdir(CLEANUP => 1);
chdir $dir or die;
print '1..', 2 * $count, "\n";
my ($n, $failed, $looked) = (0, 0, 0);

sub pick { return $_[int rand @_] }

# Where the variables are: offset and type.
sub variables {
	my @v;
	my %used;
	for my $i (0 .. 2 + int rand 3) {
		my $size = pick(1, 4, 8, 8);
		my $at = 64 * int(rand 3) + $size * int(rand(64 / $size));
		redo if grep { $used{$_} } $at .. $at + $size - 1;
		$used{$_} = 1 for $at .. $at + $size - 1;
		push @v, { at => $at, type => 'uint' . 8 * $size . '_t' };
	}
	return @v;
}

sub var { my ($v) = @_; return "*(volatile $v->{type} *)(pm + $v->{at})" }

sub body {
	my (@v) = @_;
	my $text = '';
	for (1 .. 4 + int rand 7) {
		my $v = pick(@v);
		my $what = pick(qw(store store store store flush opt fence lock nt));
		$text .= "\t" . (
			$what eq 'store' ? var($v) . ' = ' . (1 + int rand 4) . ';'
			: $what eq 'flush' ? "_mm_clflush(pm + $v->{at});"
			: $what eq 'opt' ? "clwb(pm + $v->{at});"
			: $what eq 'fence' ? '_mm_sfence();'
			: $what eq 'nt' ? "_mm_stream_si32((int *)(pm + ($v->{at} & ~3)), " . int(rand 4) . ');'
			: '__sync_fetch_and_add(&counter, 1);') . "\n";
	}
	return $text;
}

# Reads, prints, and reads on depending on what was there.
sub recovery {
	my ($depth, @v) = @_;
	my $v = pick(@v);
	# All of it is shown, or it is only looked at.
	my $all = $depth == 0 || rand() < 0.4;
	my $text = $all ? "x = " . var($v) . "; printf(\"%d \", (int)x);\n" : '';
	my $seen = $all ? 'x' : var($v);
	return $text if $depth == 0;
	return $text . "if ($seen " . pick('> 1', '== 0', '& 1', '> x', '== x', '% 3 == x % 2') . ") {\nprintf(\"y \");\n" . recovery($depth - 1, @v) .
		"} else {\n" . (rand() < 0.7 ? recovery($depth - 1, @v) : '') . "}\n" .
		(rand() < 0.3 ? var(pick(@v)) . " = 9;\n" . recovery(0, @v) : '');
}

sub program {
	my @v = variables();
	return <<C;
#include <fcntl.h>
#include <emmintrin.h>
#define _mm_clwb __builtin_ia32_clwb /* immintrin.h takes long to compile */
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static int counter;

__attribute__((target("clwb"))) static void clwb(void *p) { _mm_clwb(p); }

int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	uint64_t x = 0;
	char *pm;

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 1;
	pm = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (argc > 2) {
@{[recovery(3, @v)]}
		return x == 3 ? 7 : 0;
	}
@{[body(@v)]}
	clwb(pm);
	return counter > 100;
}
C
}

sub run {
	my ($how) = @_;
	system("$perdure check -q $how --recover './prog x.pm r' --json out.json --pm '*.pm' ./prog x.pm " .
		'>text 2>&1');
	return 'failed' if $? >> 8 == 2 || $? >> 8 > 3;
	my $json = do { local (@ARGV, $/) = ('out.json'); <> };
	my ($digest) = $json =~ /"outcomes_digest": "(\w+)"/;
	my ($outcomes) = $json =~ /"outcomes": (\d+)/;
	# A recovery that happens to read nothing of what was stored tests nothing; all of it is executed nevertheless.
	my $complete = $json =~ /"complete": true|"limits": \[\s*"nothing was tested: [^"]*"\s*\]/ ? 'true' : 'false';
	my ($executions) = $json =~ /"executions": (\d+)/;
	return "$digest ($outcomes outcomes) complete=$complete", $executions;
}

for my $i (0 .. $count - 1) {
	srand($seed + $i);
	open my $f, '>', 'prog.c' or die;
	print $f program();
	close $f;
	system("$perdure cc -O1 -w -o prog prog.c") == 0 or die 'does not compile';
	my ($lazy, $few) = run('');
	my ($plain, $more) = run('--no-incremental');
	my ($eager, $all) = run('--eager');
	my ($value, $many) = run('--by-value');
	my $same = $lazy eq $plain && $lazy eq $eager && $lazy eq $value && $lazy =~ /complete=true/;
	$n++;
	$failed ||= !$same;
	print $same ? 'ok' : 'not ok', " $n - seed ", $seed + $i, ": $lazy\n";
	if (!$same) {
		print "# without increments: $plain\n# eager: $eager\n# by value: $value\n# replay: tests/check/random.t 1 ",
			$seed + $i, "\n";
		open my $source, '<', 'prog.c' or die;
		print map { "# $_" } <$source>;
	}
	$n++;
	my $fewer = defined $few && $few <= $more && $more <= $all && $few <= $many;
	$looked += $few < $many;
	$failed ||= !$fewer;
	print $fewer ? 'ok' : 'not ok', " $n - $few, $more and $all executions; $many by value\n";
}
print "# $looked of them need fewer executions than by value\n";
exit($failed ? 1 : 0);
