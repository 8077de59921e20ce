#!/usr/bin/perl
# What an ordinary program pays when perdure lint watches it, beside other tools of Valgrind.
#
#	bench/watch.pl BUILD-DIR [phash|pobj]
#
# CPU seconds of all processes, with the start taken out (the same program with one operation), against
# the native run with its start taken out. The least of several runs each, alternately. What both front
# ends report of one program is compared, too.
#
# PMDK_NATIVE=DIR PMDK_INSTRUMENTED=DIR: pobj runs with the libraries of these directories, the same sources
# built natively and with perdure cc, in place of the PMDK that is installed.
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
my %pmdk;
for my $how ('native', 'instrumented') {
	my $d = $ENV{'PMDK_' . uc $how} // next;
	$pmdk{$how} = abs_path($d);
	die "PMDK_\U$how\E: no libpmemobj.so.1 in $d\n" if !defined $pmdk{$how} || !-e "$pmdk{$how}/libpmemobj.so.1";
}
die "PMDK_NATIVE and PMDK_INSTRUMENTED go together\n" if keys %pmdk == 1;

chdir $dir or die;

# CPU seconds of all children so far. Perl's times counts in hundredths.
sub children {
	my $usage = "\0" x 144;
	syscall(98, -1, $usage) == 0 or die "getrusage: $!"; # on x86-64; RUSAGE_CHILDREN
	my ($user, $user_us, $system, $system_us) = unpack 'q4', $usage;
	return $user + $system + ($user_us + $system_us) / 1e6;
}

# CPU seconds of a command; what it said is in the file err.
sub run {
	my ($command, $libraries) = @_;
	local $ENV{LD_LIBRARY_PATH} = $libraries if defined $libraries;
	my $before = children();
	system("$command >out 2>err") >> 8 < 2 or die "$command: " . `cat err`;
	my $after = children();
	unlink glob('*.pm');
	return $after - $before;
}

# A row of the table: one value for each number of threads.
sub row {
	my ($what, $format, $limit, @values) = @_;
	my $note = $limit ? sprintf('   (at most %d)', $limit) : '';
	if ($limit && grep { $_ > $limit } @values) {
		$note .= '   EXCEEDED';
		$over = 1;
	}
	printf "  %-44s %s%s\n", $what, join(' ', map { sprintf "%10s", sprintf($format, $_) } @values), $note;
}

# The slow ones do a part of the work: an operation costs the same.
sub share { return $_[0] =~ /memcheck|helgrind/ ? 10 : 1 }

sub least {
	my ($times, $name, $t) = @_;
	$times->{$name} = $t if !defined $times->{$name} || $t < $times->{$name};
}

sub result {
	open my $f, '<', 'result.json' or die;
	return decode_json(do { local $/; <$f> });
}

# Findings in the program's own code that are no notes: kind and line. What an instrumented PMDK does is
# not the program's, but nobody's library either.
sub found {
	my ($result, $name) = @_;
	my %seen;
	for my $f (@{$result->{findings}}) {
		next if %pmdk && ($f->{sites}[0]{file} // '') !~ m{(^|/)$name\.c$};
		$seen{"$f->{kind} " . ($f->{sites}[0]{line} // '?')} = 1
			if !defined $f->{library} && $f->{severity} ne 'note';
	}
	return join ', ', sort keys %seen;
}

# Its end of the heap is never flushed: the one finding that phash is to have.
sub line_of {
	my ($name, $text) = @_;
	open my $f, '<', "$bench/$name.c" or die;
	while (<$f>) {
		return $. if /$text/;
	}
	die "no $text in $name.c";
}

my $lint = "$build/perdure lint -q --json result.json --pm '*.pm'";
my %tools = (
	native => '',
	'perdure lint, unmodified' => "$lint --binary",
	'valgrind --tool=none' => 'valgrind -q --tool=none',
	memcheck => 'valgrind -q --leak-check=no',
	helgrind => 'valgrind -q --tool=helgrind',
	'perdure lint, instrumented' => $lint,
);
my @shown = ('perdure lint, instrumented', 'perdure lint, unmodified', 'valgrind --tool=none', 'memcheck', 'helgrind');

for my $p (['phash', '-pthread', 400000, 6, 'lint/missing-flush ' . line_of('phash', 'fetch_add')], ['pobj', '-lpmemobj -pthread', 60000, 12, '']) {
	my ($name, $flags, $n, $most, $expect) = @$p;
	my %limit = ('perdure lint, unmodified' => $most, 'perdure lint, instrumented' => 3);
	my (%ratio, @native, @start, @bytes);
	my $instrumented = 1;

	next if defined $only && $name ne $only;
	system("gcc -O2 -g -o $name $bench/$name.c $flags") == 0 or exit 1;
	system("$build/perdure cc -O2 -g -o $name.i $bench/$name.c $flags") == 0 or exit 1;
	# libpmem believes that this is PM, natively too.
	$ENV{PMEM_IS_PMEM_FORCE} = 1;
	for my $threads (1, 4) {
		my (%full, %start);
		for my $round (1 .. 5) {
			for my $tool (sort keys %tools) {
				my $program = $tool =~ /instrumented/ ? "$name.i" : $name;
				my $k = $n / share($tool);
				my $libraries = $name eq 'pobj' ? $pmdk{$program eq $name ? 'native' : 'instrumented'} : undef;
				next if $round > 1 && $tool =~ /memcheck|helgrind/;
				next if !$instrumented && $tool =~ /instrumented/;
				least(\%start, $tool, run("$tools{$tool} ./$program x.pm 1 $threads", $libraries));
				if ($tool =~ /instrumented/ && `cat err` =~ /it runs in Valgrind/) {
					$instrumented = 0;
					next;
				}
				least(\%full, $tool, run("$tools{$tool} ./$program x.pm $k $threads", $libraries));
				next if $tool !~ /perdure/;
				my $r = result();
				if (found($r, $name) ne $expect) {
					print "$name, $threads threads, $tool: reports '" . found($r, $name) . "', not '$expect'\n";
					$over = 1;
				}
				$bytes[$threads] = $r->{stats}{analysis_bytes} / $r->{stats}{pm_stores};
			}
		}
		my $native = $full{native} - $start{native};
		push @{$ratio{$_}}, ($full{$_} - $start{$_}) * share($_) / $native for grep { defined $full{$_} } @shown;
		push @native, $native;
		push @start, $start{'perdure lint, unmodified'};
	}
	printf "%-46s %10s %10s\n", $name, '1 thread', '4 threads';
	row('native, CPU seconds', '%.2f', 0, @native);
	for my $tool (@shown) {
		if ($ratio{$tool}) {
			row("$tool : native", '%.2f', $limit{$tool}, @{$ratio{$tool}});
		} else {
			print "  $tool: none: its PMDK is not instrumented, so perdure runs it in Valgrind, as below\n";
		}
	}
	row('start of perdure lint, unmodified, CPU seconds', '%.2f', 0, @start);
	row('memory of the analysis a PM store, bytes', '%.1f', 0, @bytes[1, 4]);
}
exit $over;
