#!/usr/bin/perl
# Breaks one rule at a time: of the model, and some litmus test must notice; or of the torn or the lockset engine, and
# the comparison with its twin must. TAP.
#
# A mutant is a file NAME.mut:
#	# rule: P8   what is broken
#	file: src/model/buffer.c
#	old: a piece of that file, which must stand there exactly once
#	new: what stands there instead
# old and new go on over lines that start with a tab; the key's first blank is left out.
use strict;
use warnings;
use File::Basename;
use File::Path qw(make_path remove_tree);

my $top = dirname(__FILE__) . '/../..';
chdir $top or die;
my $build = $ENV{PERDURE_BUILD} || 'build';
my @only = @ARGV;
my @mutants = sort glob 'tests/mutants/*.mut';
@mutants = grep { my $m = basename($_, '.mut'); grep { $_ eq $m } @only } @mutants if @only;
print '1..', 1 + @mutants, "\n";
my ($n, $failed) = (0, 0);

sub read_mutant {
	my ($path) = @_;
	my (%m, $key);
	open my $f, '<', $path or die "$path: $!";
	while (<$f>) {
		if (/^#\s*(rule:.*)/) { $m{rule} = $1 }
		elsif (/^(file|old|new):[ \t]?(.*)/s) { $key = $1; $m{$key} = $2 }
		elsif (defined $key && /^\t(.*)/s) { $m{$key} .= $1 }
	}
	chomp $m{file};
	return \%m;
}

sub slurp { my ($p) = @_; open my $f, '<', $p or die "$p: $!"; local $/; return <$f> }

sub build_mutant {
	my ($m, $dir) = @_;
	my $text = slurp($m->{file});
	my ($old, $new) = map { s/\n$//r } $m->{old}, $m->{new};
	my $count = () = $text =~ /\Q$old\E/g;
	return "'$m->{file}' has the old text $count times, not once" if $count != 1;
	$text =~ s/\Q$old\E/$new/;
	remove_tree($dir);
	my $place = "$dir/$m->{file}";
	make_path(dirname($place));
	open my $f, '>', $place or die;
	print $f $text;
	close $f;
	my @objects;
	return build_torn($m, $dir, $place) if $m->{file} =~ m{^src/engine/torn/};
	return build_lockset($m, $dir, $place) if $m->{file} =~ m{^src/engine/lockset/};
	for my $source (glob 'src/model/*.c src/litmus/*.c') {
		my $object = "$dir/" . basename($source, '.c') . '.o';
		my $from = $source eq $m->{file} ? $place : $source;
		system("cc -w -std=c11 -g -O1 -I$dir/src -Isrc -ffreestanding -fno-strict-aliasing " .
			"-c -o $object $from") == 0 or return 'does not compile';
		push @objects, $object;
	}
	my @host = grep { !/\.d$/ } glob "$build/host/*/*.o";
	system("cc -o $dir/perdure @host @objects $build/core.a -ljansson -ldw -lm -lstdc++") == 0
		or return 'does not link';
	return undef;
}

sub build_torn {
	my ($m, $dir, $place) = @_;
	my @sources = map { $_ eq $m->{file} ? $place : $_ }
		glob('src/engine/torn/*.c'), 'tests/torn/fuzz.c', 'tests/torn/twin.c';
	system("cc -w -std=c11 -g -O1 -D_GNU_SOURCE -I$dir/src -Isrc -Itests/torn -o $dir/fuzz @sources " .
		"$build/host/host/host.o $build/core.a") == 0 or return 'does not compile';
	return undef;
}

sub build_lockset {
	my ($m, $dir, $place) = @_;
	my @sources = map { $_ eq $m->{file} ? $place : $_ }
		glob('src/engine/lockset/*.c'), 'tests/unit/lockset_twin_test.c', 'tests/ref/lockset.c';
	system("cc -w -std=c11 -g -O1 -D_GNU_SOURCE -I$dir/src -Isrc -Itests -o $dir/twin @sources " .
		"$build/host/host/host.o $build/core.a -lcmocka") == 0 or return 'does not compile';
	return undef;
}

# Nothing is broken, and nobody is to notice anything: else what follows would mean nothing.
{
	my $dir = "$build/mutants/none";
	remove_tree($dir);
	make_path($dir);
	my $wrong = build_torn({file => ''}, $dir, '');
	$wrong = 'the twin notices something' if !$wrong && system("timeout 60 $dir/fuzz --programs 20000 >/dev/null 2>&1") != 0;
	$n++;
	$failed++ if $wrong;
	print $wrong ? "not ok $n - none: $wrong\n" : "ok $n - none: not noticed\n";
}

for my $path (@mutants) {
	my $name = basename($path, '.mut');
	my $m = read_mutant($path);
	my $dir = "$build/mutants/$name";
	my $wrong = build_mutant($m, $dir);
	my @killers;
	if (!$wrong && -e "$dir/fuzz") {
		system("timeout 60 $dir/fuzz --programs 20000 >/dev/null 2>&1") == 0 or push @killers, 'the twin';
		$wrong = 'the twin does not notice' unless @killers;
	} elsif (!$wrong && -e "$dir/twin") {
		system("RUNS=3000 timeout 120 $dir/twin >/dev/null 2>&1") == 0 or push @killers, 'the twin';
		$wrong = 'the twin does not notice' unless @killers;
	} elsif (!$wrong) {
		for my $litmus (glob 'tests/litmus/*.litmus') {
			system("timeout 20 $dir/perdure litmus -q $litmus >/dev/null 2>&1") == 0
				or push @killers, basename($litmus, '.litmus');
		}
		$wrong = 'no litmus test notices' unless @killers;
	}
	$n++;
	$failed++ if $wrong;
	print $wrong ? "not ok $n - $name: $wrong\n"
		: "ok $n - $name ($m->{rule}): noticed by " . scalar(@killers) . ", first $killers[0]\n";
}
exit($failed ? 1 : 0);
