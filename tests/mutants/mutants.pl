#!/usr/bin/perl
# Breaks one rule at a time, and some test must notice: litmus tests and its own those of the model, the comparison with its twin
# those of the torn engine, a comparison with libc its summaries, unit tests those of all other folders. TAP.
#
#	mutants.pl [NAME...]
#
# A mutant is a file NAME.mut:
#	# rule: P8   what is broken
#	file: src/model/buffer.c
#	old: a piece of that file, which must stand there exactly once, however it is wrapped
#	new: what stands there instead
# old and new go on over lines that start with a tab; the key's first blank is left out.
#
# Noticed means that an assertion failed. A mutant that does not compile, or whose test crashes or does not end, shows
# nothing: it fails. So does one that is not found in its file any more. The control of each suite is the same build and the
# same commands with nothing broken, which must pass.
#
# MUTANTS_SAMPLE=N: only N of them, from as many folders as possible; MUTANTS_SEED says which.
use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use File::Basename;
use File::Path qw(make_path remove_tree);
use Test::More;

chdir dirname(__FILE__) . '/../..' or die;
my $build = $ENV{PERDURE_BUILD} || 'build';
my $limit = 120;	# seconds for one program: far above what it takes

# ---- mutants ------------------------------------------------------------------------------------

sub slurp { my ($p) = @_; open my $f, '<', $p or die "$p: $!"; local $/; return <$f> }

sub read_mutant {
	my ($path) = @_;
	my %m = (name => basename($path, '.mut'));
	my $key;
	for (split /^/, slurp($path)) {
		if (/^#\s*(rule:.*)/) { $m{rule} = $1 }
		elsif (/^(file|old|new):[ \t]?(.*)/s) { $key = $1; $m{$key} = $2 }
		elsif (defined $key && /^\t(.*)/s) { $m{$key} .= $1 }
	}
	$_ //= '' for @m{qw(file old new)};
	s/\n$// for @m{qw(file old new)};
	return \%m;
}

# The mutated text; undef: the old text does not stand there exactly once. Blanks and ends of lines are all the same: they are
# the formatter's.
sub mutated {
	my ($m) = @_;
	my $text = -e $m->{file} ? slurp($m->{file}) : '';
	my $old = join '\s+', map { quotemeta } split ' ', $m->{old};
	my $count = () = $text =~ /$old/g;
	return undef if $count != 1 || $old eq '' || $m->{old} eq $m->{new};
	$text =~ s/$old/$m->{new}/;
	return $text;
}

# From each folder in turn, in an order that the seed decides.
sub sample {
	my ($n, @all) = @_;
	my $seed = $ENV{MUTANTS_SEED} // 1;
	my %of;
	push @{$of{dirname $_->{file}}}, $_ for sort { md5_hex("$seed $a->{name}") cmp md5_hex("$seed $b->{name}") } @all;
	my @folders = sort { md5_hex("$seed $a") cmp md5_hex("$seed $b") } keys %of;
	my @taken;
	while (@taken < $n && %of) {
		for my $folder (grep { $of{$_} } @folders) {
			push @taken, shift @{$of{$folder}} if @taken < $n;
			delete $of{$folder} unless @{$of{$folder}};
		}
	}
	return @taken;
}

# ---- suites: what is built, and run, for the mutants of a folder ----------------------------------

# A suite has programs; each has sources, of which those of the folder may be broken, objects that are there already,
# and commands that say what an assertion that fails looks like.
my @host = map { my $o = s{^src/(.*)\.c$}{$build/host/$1.o}r; $o =~ m{/cli/main\.o$} ? () : $o }
	grep { -e } split /\n/, `git ls-files --cached --others --exclude-standard 'src/cli/*.c' 'src/drive/*.c' 'src/fix/*.c' 'src/report/*.c' 'src/host/*.c'`;
# As an archive: a program gets what it needs of it, and is linked soon.
my $host = "$build/mutants/host.a";
make_path(dirname $host);
unlink $host;
system("ar rcs $host @host") == 0 or die "$host: run make first\n";
my $libs = "-Wl,--start-group $host $build/core.a -Wl,--end-group -ljansson -ldw -lcadical -lm -lstdc++";

sub litmus_suite {
	return {perdure => {
		sources => [glob 'src/model/*.c src/litmus/*.c'],
		link => "$build/host/cli/main.o $libs",
		runs => [map { "litmus -q $_" } glob 'tests/litmus/*.litmus'],
		noticed => sub { my ($said, $status) = @_; return $status == 1 && $said =~ /: DIFFERENT/ },
	}};
}

sub torn_suite {
	return {fuzz => {
		sources => [glob('src/engine/torn/*.c'), 'tests/torn/fuzz.c', 'tests/torn/twin.c'],
		link => $libs,
		runs => ['--programs 20000'],
		noticed => sub { my ($said, $status) = @_; return $status == 1 && $said =~ /^# again:/m },
	}};
}

# cmocka: an assertion says where it stands; a signal that it has caught is a crash.
sub assertion_failed {
	my ($said) = @_;
	return scalar grep { /^not ok/ && /: error: Failure!/ && !/exception/ } split /^(?=(?:not )?ok )/m, $said;
}

# A test's own text, with that of the headers of the tests that it includes.
sub with_headers {
	my ($file) = @_;
	my $text = slurp($file);
	for my $header ($text =~ /^#include "([^"]+)"/mg) {
		my ($found) = grep { -e } dirname($file) . "/$header", "tests/$header";
		$text .= with_headers($found) if $found && $file =~ m{^tests/};
	}
	return $text;
}

sub unit_suite {
	my ($folder) = @_;
	my $headers = $folder =~ s{^src/}{}r;
	my %programs;
	for my $test (glob 'tests/unit/*_test.c') {
		next unless with_headers($test) =~ m{^#include "\Q$headers\E/}m;
		my %twins = map { ("tests/ref/$_.c" => 1) } with_headers($test) =~ m{^#include "ref/(\w+)\.h"}mg;
		my @more = grep { -e } sort keys %twins;
		$programs{basename $test, '.c'} = {
			sources => [glob("$folder/*.c"), $test, @more],
			link => "$libs -lcmocka",
			runs => [''],
			noticed => \&assertion_failed,
		};
	}
	return \%programs;
}

# Litmus tests, and what unit tests the files of the model have.
sub model_suite {
	my ($units) = unit_suite('src/model');
	my %own = map { ($_ => $units->{$_}) } grep { -e 'src/model/' . s/_test$/.c/r } keys %$units;
	return {%{litmus_suite()}, %own};
}

# Summaries of libc's functions, compared with libc (tests/explore/explore.mk has the same sources).
sub summary_suite {
	my ($sources) = slurp('tests/explore/explore.mk') =~ /^SUMMARY_SRC := \$\(addprefix src\/runtime\/symbolic\/,(.*?)\)$/ms;
	return {summary_test => {
		sources => [(map { "src/runtime/symbolic/$_" } grep { /\.c$/ } split /[\s\\]+/, $sources), 'tests/explore/summary_test.c'],
		link => "$libs -lcmocka",
		with => "env RUNS=60", # of each function
		runs => [''],
		noticed => \&assertion_failed,
	}};
}

my %suites;
sub suite_of {
	my ($m) = @_;
	my $folder = dirname $m->{file};
	my $name = $folder =~ m{^src/(?:model|litmus)$} ? 'litmus' : $folder;
	return ($name, $suites{$name} //= $name eq 'litmus' ? model_suite() : $name eq 'src/runtime/symbolic' ? summary_suite() : $name eq 'src/engine/torn' ? {%{torn_suite()}, %{unit_suite($folder)}}
		: unit_suite($folder));
}

# ---- building and running ---------------------------------------------------------------------------

my ($version) = slurp('Makefile') =~ /^VERSION := (\S+)/m or die 'no version';
my $cc = ($ENV{CC} || 'cc') . " -w -std=c11 -g -O1 -D_GNU_SOURCE -DPD_VERSION='\"$version\"' -DPD_PAGE='\"src/report/page/page.html\"' -ffreestanding -fno-strict-aliasing";

sub object_of { my ($dir, $source) = @_; return "$dir/" . $source =~ s{/}{+}gr =~ s/\.c$/.o/r }

sub compile {
	my ($dir, $source, $from) = @_;
	my $object = object_of($dir, $source);
	my $flags = "-I$dir/src -Isrc -Iinclude -Itests -Itests/unit -Itests/torn";
	return system("$cc $flags -MMD -c -o $object $from") == 0 ? undef : "$source does not compile";
}

sub link_program {
	my ($dir, $name, $p, %place) = @_;
	my @objects = map { $place{$_} } @{$p->{sources}};
	return system("cc -o $dir/$name @objects $p->{link}") == 0 ? undef : "$name does not link";
}

# Status and output; a status of 124 or above is a crash, or that it did not end.
sub run {
	my ($command) = @_;
	my $said = `CMOCKA_MESSAGE_OUTPUT=TAP RUNS=3000 timeout $limit $command 2>&1`;
	return ($said, $? & 127 ? 128 + ($? & 127) : $? >> 8);
}

# Nothing is broken. Its objects are those of mutants, too, but for what depends on what they break.
sub control {
	my ($name, $suite) = @_;
	my $dir = "$build/mutants/control-" . $name =~ s{/}{+}gr;
	remove_tree($dir);
	make_path($dir);
	return 'no test' unless %$suite;
	for my $program (sort keys %$suite) {
		my $p = $suite->{$program};
		my %place;
		for my $source (@{$p->{sources}}) {
			$place{$source} = object_of($dir, $source);
			my $wrong = -e $place{$source} ? undef : compile($dir, $source, $source);
			return $wrong if $wrong;
		}
		my $wrong = link_program($dir, $program, $p, %place);
		return $wrong if $wrong;
		$p->{objects} = \%place;
		for my $args (@{$p->{runs}}) {
			my ($said, $status) = run(($p->{with} // "") . " $dir/$program $args");
			return "$program $args: status $status\n$said" if $status != 0;
		}
	}
	return undef;
}

sub depends {
	my ($object, $file) = @_;
	my $makes = slurp($object =~ s/\.o$/.d/r);
	return scalar grep { $_ eq $file } split /[\s\\]+/, $makes;
}

# The mutant's own objects, and the control's where they cannot differ.
sub build_mutant {
	my ($m, $dir, $p, $text) = @_;
	my %place = %{$p->{objects}};
	my $broken = "$dir/$m->{file}";
	make_path(dirname $broken);
	open my $f, '>', $broken or die "$broken: $!";
	print $f $text;
	close $f;
	for my $source (@{$p->{sources}}) {
		next unless depends($place{$source}, $m->{file});
		$place{$source} = object_of($dir, $source);
		next if -e $place{$source};
		my $wrong = compile($dir, $source, $source eq $m->{file} ? $broken : $source);
		return (undef, $wrong) if $wrong;
	}
	return (\%place, undef);
}

# What is wrong with it, and who has noticed.
sub try_mutant {
	my ($m, $suite) = @_;
	my $dir = "$build/mutants/$m->{name}";
	my $text = mutated($m);
	my @unlike;
	return "its old text does not stand in '$m->{file}' exactly once" unless defined $text;
	remove_tree($dir);
	# The file's own test first.
	my $own = basename($m->{file}) =~ s/\.[ch]$//r;
	for my $program (sort { ($b =~ /^\Q$own\E_/) <=> ($a =~ /^\Q$own\E_/) || $a cmp $b } keys %$suite) {
		my $p = $suite->{$program};
		my ($place, $wrong) = build_mutant($m, $dir, $p, $text);
		$wrong //= link_program($dir, $program, $p, %$place);
		return $wrong if $wrong;
		for my $args (@{$p->{runs}}) {
			my ($said, $status) = run(($p->{with} // "") . " $dir/$program $args");
			return (undef, "$program $args" =~ s/ $//r) if $p->{noticed}->($said, $status);
			push @unlike, "$program $args ended with status $status\n$said" if $status != 0;
		}
	}
	return @unlike ? "no assertion notices, but $unlike[0]" : 'nobody notices';
}

# ---- all of them ----------------------------------------------------------------------------------

my @mutants = map { read_mutant($_) } sort glob 'tests/mutants/*.mut';
@mutants = grep { my $m = $_; grep { $_ eq $m->{name} } @ARGV } @mutants if @ARGV;
@mutants = sample($ENV{MUTANTS_SAMPLE}, @mutants) if $ENV{MUTANTS_SAMPLE};

my %sound;
for my $m (@mutants) {
	my ($name, $suite) = suite_of($m);
	next if exists $sound{$name};
	my $wrong = control($name, $suite);
	$sound{$name} = ok(!$wrong, "control of $name: nothing is broken, and nobody notices anything") || (diag($wrong), 0);
}
for my $m (@mutants) {
	my ($name, $suite) = suite_of($m);
	my ($wrong, $by) = $sound{$name} ? try_mutant($m, $suite) : ("the control of $name fails");
	ok(!$wrong, "$m->{name} (" . ($m->{rule} // 'no rule') . ')' . ($wrong ? '' : ": noticed by $by")) or diag($wrong);
}
ok(@mutants > 0, 'there are mutants');
done_testing();
