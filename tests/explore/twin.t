#!/usr/bin/perl
# explore against a twin that enumerates: random programs over 1 to 3 bytes (twin/gen), run natively on all inputs.
#
#	TWIN_FIRST=1 TWIN_COUNT=40 tests/explore/twin.t [NUMBER...]
#
# Every other program makes a snapshot wherever it can (TWIN_AFTER=0: all of them do).
#
# Explore must be complete, reach exactly the paths that the twin finds, and each input must take a path of its own. Of a
# pointer that can lead to too many places explore says that it is not complete; then what it has found must be right, and
# there are few of those.
# Functions of libc may split a path further (their summaries make certain what the text is like), so there two inputs
# may show the same.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Path qw(make_path remove_tree);
use JSON::PP;
use Test::More;

my $here = abs_path(dirname(__FILE__));
my $build = $ENV{PERDURE_BUILD} || "$here/../../build";
my $perdure = $ENV{PERDURE} || "$build/perdure";
my $clang = $ENV{CLANG} || 'clang-19';
my $work = "$build/tests/explore/twin";
my ($first, $count, $each) = ($ENV{TWIN_FIRST} || 1, $ENV{TWIN_COUNT} || 24, 24);
my @only = @ARGV;
my %kept_at_most = (paths => 1000);

sub slurp { my ($p) = @_; open my $f, '<', $p or return ''; local $/; return <$f> // '' }

sub run_in {
	my ($log, @cmd) = @_;
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		open(STDIN, '<', '/dev/null');
		open(STDOUT, '>', "$log.out");
		open(STDERR, '>', "$log.err");
		exec { $cmd[0] } @cmd or die "$cmd[0]: $!\n";
	}
	waitpid($pid, 0);
	return $? >> 8 || ($? & 127 ? 128 + ($? & 127) : 0);
}

# A file of programs, built twice.
sub build_file {
	my ($from, $n, $level) = @_;
	my $dir = "$work/$from";
	make_path($dir);
	my $status = system("$here/twin/gen $from $n > $dir/twin.c");
	die "gen: $status\n" if $status;
	my @flags = ('-g', '-w', '-fwrapv', "-I$here/twin", "$dir/twin.c");
	my $s = run_in("$dir/native", $clang, '-O1', @flags, '-o', "$dir/native");
	$s ||= run_in("$dir/build", $perdure, 'cc', '--symbolic', $level, @flags, '-o', "$dir/twin");
	ok($s == 0, "programs $from and up build with $level") or diag(slurp("$dir/native.err"), slurp("$dir/build.err"));
	return $s == 0;
}

# Paths of the inputs that explore has kept, as the native program takes them.
sub paths_of {
	my ($dir, $k, $bytes) = @_;
	my @in = sort glob("$dir/out/inputs/*/stdin");
	my $all = join '', map { substr(slurp($_) . "\0" x $bytes, 0, $bytes) } @in;
	open my $f, '>', "$dir/inputs.bin" or die "$dir: $!\n";
	print $f $all;
	close $f;
	return split /\n/, `$dir/native $k paths < $dir/inputs.bin`;
}

my %total = (programs => 0, paths => 0, equal => 0, large => 0, cut => 0);

sub one {
	my ($dir, $k, $source) = @_;
	my ($bytes) = $source =~ /^#define BYTES_$k (\d)/m or die "no program $k\n";
	my ($body) = $source =~ /^static void prog_$k\(.*?^\}/ms;
	my $splits = $& =~ /strtol\(str, 0, (?:16|0)\)/;
	my %want = map { $_ => 1 } split /\n/, `$dir/native $k all`;
	if (keys %want > $kept_at_most{paths}) {
		$total{large}++;
		return;
	}
	remove_tree("$dir/out");
	my @cmd = ($perdure, 'explore', '-q', '--json', "$dir/r.json", '--out', "$dir/out", '--pm', 'none', '--sym-stdin', $bytes,
		(map { ('--snapshot-after', $_) } $ENV{TWIN_AFTER} // ($k % 2 ? 0 : 200)), '--', "$dir/twin", $k);
	my $status = run_in("$dir/run", @cmd);
	my $r = -s "$dir/r.json" ? eval { decode_json(slurp("$dir/r.json")) } : undef;
	my @got = paths_of($dir, $k, $bytes);
	my %got;
	$got{$_}++ for @got;
	my $paths = $r ? $r->{stats}{paths} // 0 : 0;
	my @why;
	push @why, "exit status $status" . ($r ? '' : ', no result') if $status != 0 && $status != 3;
	my $cut = $r && !$r->{complete} && join(' ', sort keys %{$r->{losses} || {}}) eq 'symbolic-address' &&
		!grep { /determin|time/ } @{$r->{limits} || []};
	push @why, 'not complete: ' . join('; ', @{$r->{limits} || []}, map { "$_ $r->{losses}{$_}{count}" } sort keys %{$r->{losses} || {}})
		if $r && !$r->{complete} && !$cut;
	my @missed = grep { !$got{$_} } sort keys %want;
	my @extra = grep { !$want{$_} } sort keys %got;
	my @twice = grep { $got{$_} > 1 } sort keys %got;
	push @why, scalar(@missed) . ' of ' . scalar(keys %want) . " paths were not found: @missed[0 .. ($#missed > 3 ? 3 : $#missed)]" if @missed && !$cut;
	push @why, scalar(@extra) . ' paths that no input has' if @extra;
	push @why, scalar(@twice) . ' paths were taken by more than one input' if @twice && !$splits && !$cut;
	push @why, "$paths paths, " . scalar(@got) . ' inputs kept' if $r && $paths != @got;
	$total{programs}++;
	$total{cut}++ if $cut;
	$total{paths} += @got;
	$total{equal}++ if !@why && @got == keys %want;
	ok(!@why, "program $k: " . scalar(keys %want) . " paths of $bytes bytes")
		or diag(join "\n", @why, "@cmd", "program: $dir/twin.c", slurp("$dir/run.err"));
}

my @levels = ('-O0', '-O1', '-O2', '-O3');
my @files = @only ? map { [$_, 1] } @only : map { [$first + $_ * $each, $each] } 0 .. int(($count - 1) / $each);
for (@files) {
	my ($from, $n) = @$_;
	my $level = $ENV{TWIN_LEVEL} || $levels[int($from / $each) % @levels];
	build_file($from, $n, $level) or next;
	my $source = slurp("$work/$from/twin.c");
	one("$work/$from", $_, $source) for $from .. $from + $n - 1;
}
ok($total{cut} * 50 <= $total{programs}, "of $total{cut} programs a pointer was pinned: at most one of fifty");
ok($total{programs} > $total{large}, "programs compared: $total{programs}; too many paths to keep: $total{large}");
print "# $total{programs} programs, $total{paths} paths; of $total{equal} programs each path is one input\n";
done_testing();
