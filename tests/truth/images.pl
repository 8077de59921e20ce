#!/usr/bin/env perl
# images.pl SEED DIR - writes DIR/prog.c, a random program and its recovery for images.h, and DIR/first, what its
# file contains before. The seed decides all.
use strict;
use warnings;

my ($seed, $dir) = @ARGV;
die "usage: images.pl SEED DIR\n" unless defined $dir && $seed =~ /^\d+$/;

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
below(2) for 1 .. 3;
sub pick { return $_[below(scalar @_)] }
sub percent { return below(100) < $_[0] }

my $model = percent(70) ? 'adr' : percent(60) ? 'page' : 'eadr';
my $unit = $model eq 'page' ? 4096 : 64;
my $lines = 1 + below(3) + ($model eq 'page' ? 0 : percent(50));
my $nops = $model eq 'page' ? 4 + below(5) : 5 + below(9);
my $level = pick(qw(-O0 -O1 -O1 -O2 -O2 -O3 -Os));
my $crashes = percent(30) ? 2 : 1;
my @types = qw(uint64_t uint64_t uint64_t uint32_t uint32_t uint16_t uint8_t int32_t int64_t int8_t);
my %size = (uint64_t => 8, uint32_t => 4, uint16_t => 2, uint8_t => 1, int32_t => 4, int64_t => 8, int8_t => 1);

# ---- fields: a few places, each with a type; sometimes one lies over another ----

my @field;
for my $i (1 .. 3 + below(4)) {
	my $t = pick(@types);
	my $off = below($lines) * $unit + pick(0, 0, 8, 8, 16, 24, 32, 4, 12, 2, 6, 40, 48, 56);
	$off = $off - $off % $size{$t} unless percent(6);
	push @field, {off => $off, type => $t};
}
my @values = (0, 1, 2, 3, 5, 7);
push @values, 1 + below(200) for 1 .. 3;
push @values, 1000 + below(60000) if percent(30);
push @values, map { $_ * 0x01010101 } 1 + below(120) if percent(30);

sub at { my ($f) = @_; return "p + $f->{off}" }
sub rd { my ($f) = @_; return "*($f->{type} *)(p + $f->{off})" }
sub inside { my ($f, $n) = @_; return $f->{off} + $n <= $lines * $unit }

my @const; # static tables of bytes
sub table {
	my ($n) = @_;
	push @const, [map { percent(40) ? pick(@values) & 255 : pick(0, 1) } 1 .. $n];
	return 'table_' . $#const;
}

# ---- expressions and conditions over PM ----

my @locals;
my @helper;
sub value_of {
	my ($depth) = @_;
	my $f = pick(@field);
	return pick(@locals) if @locals && percent(30);
	return rd($f) if $depth > 1 || percent(50);
	return "(" . rd($f) . " & " . pick(1, 3, 4, 7, 15, 255, 128) . ")" if percent(25);
	return "(" . rd($f) . " " . pick('+', '^', '-', '|') . " " . value_of($depth + 1) . ")" if percent(30);
	return "(" . rd($f) . " >> " . pick(1, 2, 3, 4) . ")" if percent(20);
	return "(uint8_t)" . rd($f) if percent(20);
	return "(" . cond(2) . " ? " . value_of(2) . " : " . pick(@values) . ")" if percent(40);
	return "p[(" . rd($f) . " & 1) * " . pick(1, 8, $unit - 8 - $unit % 2) . " + " . pick(0, 1, 8) . "]" if percent(30) && $unit == 64;
	return "*(const volatile $f->{type} *)(" . at($f) . ")" if percent(20);
	return "atomic_load((_Atomic $f->{type} *)(" . at($f) . "))" if percent(20) && $f->{off} % $size{$f->{type}} == 0;
	return "help_" . helper() . "(" . at($f) . ", " . pick(@values) . ")";
}

sub helper {
	my $k = below(9);
	push @helper, $k unless grep { $_ == $k } @helper;
	return $k;
}

my @help = (
	# how many bytes are not 0
	"static int help_0(const uint8_t *q, uint64_t v)\n{\n\tint n = 0;\n\tfor (int i = 0; i < 8; i++)\n\t\tn += q[i] != 0;\n\treturn n + (v == 3);\n}\n",
	# where the value is found
	"__attribute__((noinline)) static int help_1(const uint8_t *q, uint64_t v)\n{\n\tfor (int i = 0; i < 8; i++)\n\t\tif (q[i] == (uint8_t)v)\n\t\t\treturn i;\n\treturn 9;\n}\n",
	"__attribute__((noinline)) static uint64_t help_2(const uint8_t *q, uint64_t v)\n{\n\tuint64_t a;\n\tmemcpy(&a, q, 8);\n\treturn a % (v + 1);\n}\n",
	"static int help_3(const uint8_t *q, uint64_t v)\n{\n\tswitch (*q) {\n\tcase 0:\n\t\treturn 0;\n\tcase 1:\n\tcase 2:\n\t\treturn 1;\n\tcase 5:\n\t\treturn (int)v;\n\tdefault:\n\t\treturn q[1] > 1;\n\t}\n}\n",
	"static uint32_t help_4(const uint8_t *q, uint64_t v)\n{\n\tuint32_t h = (uint32_t)v;\n\tfor (int i = 0; i < 4; i++)\n\t\th = h * 31 + q[i];\n\treturn h & 3;\n}\n",
	"__attribute__((noinline)) static uint64_t help_5(const uint8_t *q, uint64_t v)\n{\n\tuint64_t max = 0;\n\tfor (int i = 0; i < 8; i += 2)\n\t\tif (*(const uint16_t *)(q + i) > max)\n\t\t\tmax = *(const uint16_t *)(q + i);\n\treturn max > v ? max : v;\n}\n",
	"static int help_6(const uint8_t *q, uint64_t v)\n{\n\tuint8_t c[8];\n\tmemcpy(c, q, 8);\n\tfor (int i = 1; i < 8; i++)\n\t\tfor (int k = i; k && c[k] < c[k - 1]; k--) {\n\t\t\tuint8_t t = c[k];\n\t\t\tc[k] = c[k - 1];\n\t\t\tc[k - 1] = t;\n\t\t}\n\treturn c[7] == (uint8_t)v;\n}\n",
	"static int help_7(const uint8_t *q, uint64_t v)\n{\n\treturn __builtin_popcountll(*(const uint64_t *)q) > (int)(v & 15);\n}\n",
	"static int help_8(const uint8_t *q, uint64_t v)\n{\n\treturn (int)strnlen((const char *)q, 8) + (memchr(q, (int)v & 255, 8) != NULL);\n}\n",
);

sub atom {
	my ($depth) = @_;
	my $f = pick(@field);
	my $v = pick(@values);
	if (percent(12) && inside($f, 16)) {
		my $n = pick(2, 4, 8, 12, 16);
		return "memcmp(" . at($f) . ", " . table($n) . ", $n) " . pick('==', '!=', '<', '>') . " 0";
	}
	if (percent(6) && inside($f, 16)) {
		my $g = pick(@field);
		return "memcmp(" . at($f) . ", " . at($g) . ", 8) == 0" if inside($g, 8);
	}
	return rd($f) . " == " . rd(pick(@field)) if percent(12);
	return "(" . rd($f) . " & " . pick(1, 2, 4, 8, 128) . ")" if percent(12);
	return value_of($depth) . " " . pick('==', '==', '==', '!=', '<', '>', '>=') . " $v";
}

sub cond {
	my ($depth) = @_;
	$depth //= 0;
	my $a = atom($depth);
	return $a if $depth > 1;
	$a .= " && " . atom($depth + 1) if percent(50);
	$a .= " || (" . atom($depth + 1) . " && " . atom($depth + 1) . ")" if percent(15);
	$a = "!($a)" if percent(8);
	return $a;
}

# ---- stores ----

my ($last, @stored);
sub store {
	my $f = pick(@field);
	my $v = pick(@values);
	$last = $f;
	my $kind = below(100);
	my $nt = $model eq 'adr';
	return "MSYNC(" . at($f) . ", 8);" if $model eq 'page' && $kind > 96;
	return "PWRITE(" . at($f) . ", " . table(16) . ", 16);" if $model eq 'page' && $kind < 12 && inside($f, 16);
	return "NT8(p + " . ($f->{off} & ~7) . ", $v);" if $nt && $kind < 6;
	return "NT4(p + " . ($f->{off} & ~3) . ", $v);" if $nt && $kind < 9;
	return "NT16(p + " . ($f->{off} & ~15) . ", $v);" if $nt && $kind < 11;
	return "V16(" . at($f) . ", $v);" if $kind < 16 && inside($f, 16);
	if ($kind < 26 && inside($f, 24)) {
		my $n = pick(3, 8, 12, 16, 24);
		return pick('CPY', 'MOVE') . "(" . at($f) . ", " . table($n) . ", $n);" if percent(60);
		return "SET(" . at($f) . ", " . ($v & 255) . ", $n);";
	}
	return "ASSIGN(struct three, " . at($f) . ", ((struct three){$v, " . pick(@values) . ", " . pick(@values) . "}));"
		if $kind < 30 && inside($f, 24) && $f->{off} % 8 == 0;
	return "STR(" . at($f) . ", \"" . pick('a', 'abc', 'abcdefg', 'abcdefghijk') . "\");" if $kind < 33 && inside($f, 16);
	return pick('XCHG', 'FADD') . "(p + " . ($f->{off} & ~7) . ", $v);" if $kind < 38;
	return "CAS(p + " . ($f->{off} & ~7) . ", 0, $v);" if $kind < 41;
	return "ST($f->{type}, " . at($f) . ", " . rd(pick(@field)) . " + 1);" if $kind < 48;
	push @stored, [$f, $v] if $v;
	return "ST($f->{type}, " . at($f) . ", $v);";
}

# One store is there, and an earlier one is not: what an order excludes.
sub lost_before {
	my $k = 1 + below($#stored);
	my ($later, $earlier) = ($stored[$k], $stored[below($k)]);
	return rd($later->[0]) . " == ($later->[0]{type})$later->[1] && " . rd($earlier->[0]) . " != ($earlier->[0]{type})$earlier->[1]";
}

sub flush {
	my $f = $last && percent(75) ? $last : pick(@field);
	return percent(70) ? "MSYNC(" . at($f) . ", 8);" : "FSYNC();" if $model eq 'page';
	return "MSYNC(" . at($f) . ", 8);" if percent(3);
	return pick('CLWB', 'CLWB', 'CLFLUSHOPT', 'CLFLUSH') . "(" . at($f) . ");";
}

sub persist {
	return 'MSYNC(' . at($last) . ', 8);' if $model eq 'page';
	return pick('CLWB', 'CLFLUSHOPT') . '(' . at($last) . ");\n\tSFENCE();";
}

sub step {
	my ($depth) = @_;
	return store() . "\n\t" . persist() if $depth && percent(40);
	return store() if percent(50);
	return flush() if percent(60);
	return pick('SFENCE();', 'SFENCE();', 'MFENCE();') if $model ne 'page' && percent(70);
	return "if (" . atom(2) . ") {\n\t\t" . store() . "\n\t\t" . flush() . "\n\t}" if $depth && percent(40);
	if ($depth && percent(30)) {
		my $f = pick(@field);
		return "for (int i = 0; i < 3; i++)\n\t\tST(uint8_t, " . at($f) . " + i, " . pick(@values) . " + i);" if inside($f, 4);
	}
	return store();
}

# ---- recovery ----

my $status = 0;
sub fails { return "return " . ++$status . ";" }

sub judge {
	my $k = below(100);
	my $f = pick(@field);
	if ($k < 18) {
		my $name = 'l' . scalar @locals;
		my $line = "$f->{type} $name = " . rd($f) . ";";
		push @locals, $name;
		return $line;
	}
	if ($k < 24) {
		return "switch (" . rd($f) . ") {\n\tcase " . pick(0, 1) . ":\n\t\tbreak;\n\tcase " . pick(@values[2 .. 5]) . ":\n\t\t" .
			"if (" . cond(1) . ")\n\t\t\t" . fails() . "\n\t\tbreak;\n\tdefault:\n\t\tif (" . cond(1) . ")\n\t\t\t" . fails() . "\n\t}";
	}
	if ($k < 30 && inside($f, 8)) {
		return "for (int i = 0; i < 8 && p[$f->{off} + i]; i++)\n\t\tif (p[$f->{off} + i] == " . (pick(@values) & 255) .
			" && " . atom(1) . ")\n\t\t\t" . fails();
	}
	if ($k < 36) {
		my $g = pick(@field);
		return "for (uint64_t i = 0; i < (" . rd($f) . " & 3); i++)\n\t\tif (" . rd($g) . " == i && " . atom(1) . ")\n\t\t\t" . fails();
	}
	if ($k < 44 && $crashes > 1 || $k < 39) {
		return "if (" . cond(1) . ") {\n\t\t" . store() . "\n\t\t" . flush() . "\n\t\t" . (percent(70) ? step(0) : 'SFENCE();') . "\n\t}";
	}
	if ($k < 48) {
		return "if (" . cond(1) . ")\n\t\treturn 0;";
	}
	return "if (" . lost_before() . ")\n\t\t" . fails() if @stored > 1 && percent(50);
	return "if (" . cond() . ")\n\t\t" . fails();
}

my @work = map { step(1) } 1 .. $nops;
my @recover = map { 'if (' . lost_before() . ")\n\t\t" . fails() } @stored > 1 ? 1 .. 1 + below(3) : ();
push @recover, map { judge() } 1 .. 2 + below(5);
push @recover, "if (" . cond() . ")\n\t\t" . fails();

open my $c, '>', "$dir/prog.c" or die "images.pl: $dir/prog.c: $!\n";
print $c "/* seed $seed: model $model, level $level, crashes $crashes */\n";
print $c "#define LINES $lines\n#define UNIT $unit\n", $model eq 'eadr' ? "#define EADR\n" : '', "#include \"images.h\"\n\n";
print $c "struct three {\n\tuint64_t a, b, c;\n};\n\n";
for my $i (0 .. $#const) {
	print $c "static const uint8_t table_$i\[] = {", join(', ', @{$const[$i]}), "};\n";
}
print $c "\n", map { "$help[$_]\n" } sort @helper;
print $c "static void work(uint8_t *p)\n{\n", map({ "\t$_\n" } @work), "}\n\n";
print $c "static int recover(uint8_t *p)\n{\n", map({ "\t$_\n" } @recover), "\treturn 0;\n}\n";
close $c;

my @first = (0) x ($lines * $unit);
if (percent(30)) {
	$first[$_->{off}] = pick(@values) & 255 for @field;
}
open my $p, '>', "$dir/first" or die "images.pl: $dir/first: $!\n";
binmode $p;
print $p pack 'C*', @first;
close $p;
