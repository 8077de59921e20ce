#!/usr/bin/perl
# docs/guide/pmdk.md, followed with our own libpmemobj (tests/pmdk/tree), and what it says of the results.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Temp qw(tempdir);
use JSON::PP;
use Test::More;

my $top = abs_path(dirname($0) . '/../..');
my $perdure = $ENV{PERDURE} || "$top/build/perdure";
my $dir = tempdir(CLEANUP => 1);
my $guide = slurp("$top/docs/guide/pmdk.md");
$ENV{HOME} = $dir;
$ENV{PATH} = dirname($perdure) . ":$ENV{PATH}";
chdir $dir or die;

sub slurp {
	my ($path) = @_;
	open(my $f, '<', $path) or die "$path: $!\n";
	local $/;
	return scalar <$f>;
}

# A command as the guide has it.
sub guided {
	my ($command, $with) = @_;
	like($guide, qr/^    +\Q$command\E$/m, "the guide says: $command");
	$command =~ s/^(perdure \w+)/$1 $with/;
	my $out = `$command 2>&1`;
	return ($? >> 8, $out);
}

# A variable as the guide sets it.
sub exported {
	my ($name) = @_;
	ok($guide =~ /^    export $name="\$HOME(\S+)"$/m, "the guide sets $name");
	$ENV{$name} = "$dir$1";
}

is(system("$top/tests/pmdk/tree $dir/src/pmdk"), 0, 'a source tree');
my ($built, $said) = guided('perdure pmdk -o "$HOME/pmdk-checked" ~/src/pmdk', '');
is($built, 0, 'the libraries are built') or diag($said);
exported($_) for qw(PKG_CONFIG_PATH LD_LIBRARY_PATH);
like($said, qr/export $_=$ENV{$_}$/m, "perdure pmdk says so, too") for qw(PKG_CONFIG_PATH LD_LIBRARY_PATH);

for my $fixed (0, 1) {
	system("sed 's,\"../pmdk.h\",\"$top/bugs/pmdk.h\",' $top/bugs/pmdk-no-add/case.c >prog.c");
	my ($status, $out) = guided('perdure cc -g -O1 -o prog prog.c $(pkg-config --cflags --libs libpmemobj)', "-DFIXED=$fixed");
	is($status, 0, 'the program builds') or diag($out);
	unlink 'my.pm';
	($status, $out) = guided('./prog my.pm', '');
	is($status, 0, 'it makes its pool') or diag($out);
	my $before = slurp('my.pm');
	($status, $out) = guided("perdure check --pm '*.pm' ./prog my.pm", "--json r.json");
	is($status, $fixed ? 0 : 1, $fixed ? 'nothing is found' : 'a bug is found') or diag($out);
	ok(slurp('my.pm') eq $before, 'the pool is as it was');
	my @found = grep { !$_->{library} } @{decode_json(slurp('r.json'))->{findings}};
	is(scalar @found, 1 - $fixed, 'one finding for one bug') or diag($out);
	like($out, qr/^inside libpmemobj: \d+ finding/m, 'what the library does is set apart');
	next if $fixed;
	like($out, qr/was not logged in the transaction that begins at prog\.c:\d+/, 'it says what is wrong');
	like($out, qr/fix +log the 8 bytes at my\.pm\+0x[0-9a-f]+ before the store at prog\.c:\d+: TX_ADD/, 'and what to do');
	like($out, qr/in pmemobj_tx_process, \d+ frames?/, 'frames of the library are folded');
	unlike($out, qr/libpmemobj\.c/, 'none of them is shown');
	$out = `$perdure check --libraries libpmemobj --pm '*.pm' ./prog my.pm 2>&1`;
	like($out, qr/libpmemobj\.c:\d+/, '--libraries shows them');
	unlike($out, qr/^inside libpmemobj/m, 'and sets nothing apart');
}
done_testing();
