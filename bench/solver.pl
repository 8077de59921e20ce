#!/usr/bin/perl
# Questions to solvers: ours, and z3 and cvc5 where they are installed, on the same ones in one run.
#
# All figures are CPU time. Ours answers in one process, keeping what it has learnt ("kept"), and each question alone
# ("alone"). Compared is every eighth question of each family (EVERY=1: all). The others have a process for each
# question; what that takes for nothing is measured and taken off.
use strict;
use warnings;
use File::Temp qw(tempdir);

my $build = shift // 'build';
my $every = $ENV{EVERY} || 8;
my $limit = 2;    # seconds, as in bench/solver.c
my $dir = tempdir(CLEANUP => 1);
my %other = (z3 => 'z3 %s', cvc5 => 'cvc5 --lang smt2 %s');

sub slurp { my ($p) = @_; open my $f, '<', $p or die "$p: $!"; local $/; return <$f> }

# What it says, and milliseconds of CPU time.
sub run {
	my ($command, $file) = @_;
	my $line = sprintf $command, $file;
	my (undef, undef, $u, $s) = times;
	my $said = `ulimit -t $limit; exec $line 2>/dev/null` // '';
	my (undef, undef, $v, $t) = times;
	return ($said =~ /^(sat|unsat)$/m ? $1 : 'unknown', 1000 * ($v + $t - $u - $s));
}

print `$build/bench/solver --write $dir`;
exit 1 if $?;
my @installed = grep { `sh -c "command -v $_"` ne '' } sort keys %other;
print "z3, cvc5: not installed, nothing to compare with\n" and exit 0 unless @installed;
open my $empty, '>', "$dir/empty" or die;
print $empty "(set-logic QF_BV)\n(check-sat)\n";
close $empty;

my (%sum, %n, %unknown, %wrong, %start);
for my $name (@installed) {
	$start{$name} += (run($other{$name}, "$dir/empty"))[1] / 10 for 1 .. 10;
}
for my $file (sort glob "$dir/*.smt2") {
	my ($family, $number) = $file =~ m{([^/]+)-(\d+)\.smt2$};
	next if $number % $every != $every >> 1;
	my ($answer, $kept, $alone) = split ' ', slurp($file =~ s/smt2$/is/r);
	$n{$family}++;
	$sum{$family}{kept} += $kept;
	$sum{$family}{alone} += $alone;
	$unknown{$family}{kept} += $answer eq 'unknown';
	for my $name (@installed) {
		my ($is, $ms) = run($other{$name}, $file);
		$ms -= $start{$name};
		$sum{$family}{$name} += $ms > 0 ? $ms : 0;
		$unknown{$family}{$name} += $is eq 'unknown';
		$wrong{$name}++ if $is ne 'unknown' && $answer ne 'unknown' && $is ne $answer;
	}
}

my @all = ('kept', 'alone', @installed);
printf "\nms a question (unknown after %d s)\n%-10s%9s%s\n", $limit, '', 'questions', join '', map { sprintf '%15s', $_ } @all;
for my $family (sort keys %n) {
	printf "%-10s%9d%s\n", $family, $n{$family}, join '', map {
		my $u = $unknown{$family}{$_} // 0;
		sprintf '%10.2f %4s', $sum{$family}{$_} / $n{$family}, $u ? "($u)" : '';
	} @all;
}
printf "start of a process, taken off: %s\n", join ', ', map { sprintf '%s %.0f ms', $_, $start{$_} } @installed;
print "other answers than ours: ", join(', ', map { "$_ " . ($wrong{$_} // 0) } @installed), "\n";
exit 1 if %wrong;
