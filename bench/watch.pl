#!/usr/bin/perl
# What an ordinary program pays when perdure lint watches it, beside other tools of Valgrind.
#
#	bench/watch.pl BUILD-DIR [phash|pobj]
#
# CPU seconds of all processes, with the start taken out (the same program with one operation), against
# the native run with its start taken out. The least of several runs each, alternately.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Basename;
use File::Temp 'tempdir';
use JSON::PP;

my $build = abs_path(shift // 'build');
my $only = shift;
my $bench = abs_path(dirname($0));
my $dir = tempdir(CLEANUP => 1);
my $over = 0;
chdir $dir or die;

sub run {
	my ($command) = @_;
	my @before = times;
	system("$command >out 2>err") >> 8 < 2 or die "$command: " . `cat err`;
	my @after = times;
	unlink glob('*.pm');
	return $after[2] + $after[3] - $before[2] - $before[3];
}

sub line {
	my ($what, $value, $unit, $limit) = @_;
	my $note = $limit ? "   (at most $limit)" : '';
	if ($limit && $value > $limit) {
		$note .= '   EXCEEDED';
		$over = 1;
	}
	printf "%-58s %10.2f %s%s\n", $what, $value, $unit, $note;
}

# The slow ones do a part of the work: an operation costs the same.
sub share { return $_[0] =~ /memcheck|helgrind/ ? 10 : 1 }

sub least {
	my ($times, $name, $t) = @_;
	$times->{$name} = $t if !defined $times->{$name} || $t < $times->{$name};
}

my $lint = "$build/perdure lint -q --json result.json --pm '*.pm'";
my %tools = (
	native => '',
	'perdure lint' => "$lint --binary",
	'valgrind --tool=none' => 'valgrind -q --tool=none',
	memcheck => 'valgrind -q --leak-check=no',
	helgrind => 'valgrind -q --tool=helgrind',
);

for my $p (['phash', '-pthread', 400000, 6], ['pobj', '-lpmemobj -pthread', 60000, 12]) {
	my ($name, $flags, $n, $limit) = @$p;
	next if defined $only && $name ne $only;
	system("gcc -O2 -g -o $name $bench/$name.c $flags") == 0 or exit 1;
	# What a library does that is not instrumented would be a loss, each time.
	my $instrumented = $name eq 'phash';
	system("$build/perdure cc -O2 -g -o $name.i $bench/$name.c $flags") == 0 or exit 1;
	for my $threads (1, 4) {
		my (%full, %start, $stats);
		# libpmem believes that this is PM, natively too.
		$ENV{PMEM_IS_PMEM_FORCE} = 1;
		for my $round (1 .. 3) {
			for my $tool (sort keys %tools) {
				next if $round > 1 && $tool =~ /memcheck|helgrind/;
				my $k = $n / share($tool);
				least(\%full, $tool, run("$tools{$tool} ./$name x.pm $k $threads"));
				least(\%start, $tool, run("$tools{$tool} ./$name x.pm 1 $threads"));
			}
			next if !$instrumented;
			least(\%full, 'instrumented', run("$lint ./$name.i x.pm $n $threads"));
			least(\%start, 'instrumented', run("$lint ./$name.i x.pm 1 $threads"));
		}
		my $native = $full{native} - $start{native};
		for my $tool ('perdure lint', 'valgrind --tool=none', 'memcheck', 'helgrind') {
			my $what = $tool eq 'perdure lint' ? 'perdure lint, unmodified' : $tool;
			my $own = ($full{$tool} - $start{$tool}) * share($tool);
			line("$name, $threads threads: $what : native", $own / $native, 'x', $tool eq 'perdure lint' ? $limit : 0);
		}
		line("$name, $threads threads: perdure lint, instrumented : native",
			($full{instrumented} - $start{instrumented}) / $native, 'x', 3) if $instrumented;
		line("$name, $threads threads: start of perdure lint, unmodified", $start{'perdure lint'}, 's', 0);
		run("$tools{'perdure lint'} ./$name x.pm $n $threads");
		open my $f, '<', 'result.json' or die;
		$stats = decode_json(do { local $/; <$f> })->{stats};
		line("$name, $threads threads: memory of the analysis a PM store",
			$stats->{analysis_bytes} / $stats->{pm_stores}, 'bytes', 0);
	}
}
exit $over;
