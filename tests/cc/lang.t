#!/usr/bin/perl
# C++, what the optimiser must keep, what is lost and named, and what sites say.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Temp 'tempdir';
use Test::More;

my $dir = abs_path($0 =~ s{[^/]*$}{}r || '.');
my $build = abs_path($ENV{PERDURE_BUILD} || 'build');
my ($cc, $cxx) = ("$build/tests/cc/perdure-cc", "$build/tests/cc/perdure-c++");
my $tmp = tempdir(CLEANUP => 1);
chdir $tmp or die;

sub lines {
	open my $f, '<', shift or return ();
	chomp(my @l = <$f>);
	return @l;
}

# ---- C++ -------------------------------------------------------------------------------------

is(system("clang++-19 -O2 $dir/lang.cpp -o native -pthread -latomic"), 0, 'C++ compiles natively');
my $native = `./native`;
for my $level ('-O0', '-O2') {
	is(system("$cxx -std=c++17 $level $dir/lang.cpp -o p -pthread"), 0, "C++ $level compiles");
	is(`PD_TRACE=trace ./p`, $native, "C++ $level prints the same");
	my @t = map { s/^\d+ //r } lines('trace');
	is(scalar(grep { /^rmw\.add\@c0\+8=1\/sc!a$/ } @t), 4000, "C++ $level: every fetch_add");
	ok(scalar(grep { $_ eq 'cas@80+16=2.0000000000000001=4.0000000000000003/sc,sc!a' } @t),
		"C++ $level: a compare-exchange of 16 bytes");
	ok(scalar(grep { $_ eq 'aload@80+16=4.0000000000000003/sc!a' } @t), "C++ $level: a load of 16 bytes");
	ok(scalar(grep { $_ eq 'store@40+4=2' } @t), "C++ $level: a template's store");
}

# ---- sites -----------------------------------------------------------------------------------

unlink 'modules';
system("$cxx -std=c++17 -O2 $dir/lang.cpp -o p -pthread && PD_TRACE_MODULES=modules ./p >/dev/null");
my @sites = grep { /^site / } lines('modules');
ok(scalar(grep { m{^site \Q$dir\E/?lang\.cpp:\d+:\d+ in _ZNK4nodeIiE3sumEv size 4 flags 4096$} } @sites),
	'a site has file, place, function and size');
ok(scalar(grep { m{^site /.*atomic_base\.h} } @sites), 'sites in headers are absolute');
is(scalar(grep { / size 16 flags 1/ } @sites) > 0, 1, 'an atomic says so');

# ---- what must stay --------------------------------------------------------------------------

for my $level ('-O1', '-O2', '-O3') {
	is(system("$cc -w $level $dir/keep.c -o p"), 0, "keep $level compiles");
	system("PD_TRACE=trace PD_TRACE_MODULES=modules ./p >/dev/null");
	my ($n, @want) = (0);
	for (lines("$dir/keep.c")) {
		$n++;
		push @want, map { "$n $_" } split ' ', $1 if m{//= (.*)};
	}
	is_deeply([sort(lines('trace'))], [sort @want], "keep $level: attributes promise nothing");
}
unlink 'modules';
system("$cc -w -O2 $dir/keep.c -o p && PD_TRACE_MODULES=modules ./p >/dev/null");
ok(scalar(grep { /in in_the_header size 4 flags 2048 inlined at \d+ in all$/ } lines('modules')),
	'an inlined site leads to the call');

# ---- what is lost ----------------------------------------------------------------------------

unlink 'modules';
is(system("$cc -w -O2 $dir/lost.c -o p -latomic && PD_TRACE_MODULES=modules ./p"), 0, 'lost.c');
my @losses = map { s/line \d+ //r } grep { /^loss/ } lines('modules');
is_deeply([sort map { /^(loss \d+ in \S+)/ } @losses],
	[sort 'loss 0 in -:', 'loss 2 in -:', 'loss 0 in through_registers:', 'loss 0 in intel:',
		'loss 0 in asm_goto:', 'loss 1 in odd_atomic:'], 'every loss, and no other') or diag(explain \@losses);
ok(scalar(grep { /naked_function/ } @losses), 'a naked function is named');
ok(scalar(grep { /incq \(\$0,\$1\)/ } @losses), 'asm is named by its text');
ok(scalar(grep { /in odd_atomic: __atomic_store$/ } @losses), 'a function of libatomic is named');

open my $s, '>', 'hand.S' or die;
print $s "#define RET ret\n.globl hand\nhand:\n\tmovl \$5,%eax\n\tRET\n.section .note.GNU-stack,\"\"\n";
close $s;
open my $m, '>', 'm.c' or die;
print $m "int hand(void); int main(void) { return hand() - 5; }\n";
close $m;
unlink 'modules';
is(system("$cc -c hand.S && $cc m.c hand.o -o p && PD_TRACE_MODULES=modules ./p"), 0, 'assembly works');
ok(scalar(grep { /^loss 3 .*: hand\.S$/ } lines('modules')), 'and is a loss of its own');

done_testing();
