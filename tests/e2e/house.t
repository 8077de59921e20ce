#!/usr/bin/perl
# The rules of the house that a machine can check. What they are, and what is not yet as it should be: house.rules.
#
#	house.t --shrink    takes out of house.rules what is not needed there any more
use strict;
use warnings;
use File::Basename;
use Test::More;

chdir dirname(__FILE__) . '/../..' or die;
my $build = $ENV{PERDURE_BUILD} || 'build';
my $rules_file = 'tests/e2e/house.rules';
my $shrink = @ARGV && $ARGV[0] eq '--shrink';
my @files = split /\n/, `git ls-files --cached --others --exclude-standard`;
@files = grep { -e } @files;

sub slurp { my ($p) = @_; open my $f, '<', $p or die "$p: $!"; local $/; return <$f> // '' }

# One assertion; what is wrong is said line by line.
sub none {
	my ($what, @wrong) = @_;
	ok(!@wrong, $what) or diag(join "\n", @wrong);
}

# ---- house.rules ------------------------------------------------------------------------------------

my (%list, %may, %except, %cycle, %rooms, %used, %shows);

sub words { return map { /^@(.+)/ ? words(@{$list{$1} || die "$rules_file: no list '$1'\n"}) : $_ } @_ }

for (split /\n/, slurp($rules_file)) {
	next if /^\s*(#|$)/;
	if (/^package (\S+)\s+(.*)/) { $shows{$1} = $2; next }
	my $why = s/\s*#\s*(.*)// ? $1 : '';
	my ($verb, $name, @rest) = split ' ';
	if ($verb =~ /^(core|freestanding|outside)$/) { $list{$verb eq 'core' ? 'pure' : $verb} = [$name, @rest] }
	elsif ($verb eq 'list') { $list{$name} = \@rest }
	elsif ($verb eq 'may') { $may{$name} = [words(@rest)] }
	elsif ($verb eq 'rooms') { $rooms{$name} = \@rest }
	elsif ($verb eq 'cycle') { $cycle{$name} = $rest[0] }
	elsif ($verb =~ /^(include|address|declares)$/) { $except{$_} = 1 }
	elsif ($verb eq 'time') {
		die "$rules_file: $name: why?\n" if $why eq '';
		$except{"time $name"} = 1;
	}
	else { die "$rules_file: '$verb' is not known\n" }
}
for my $under (keys %rooms) {
	my @before;
	for my $room (@{$rooms{$under}}) {
		$may{"$under/$room"} = [words("\@$under"), @before];
		push @before, "$under/$room";
	}
}
# Listed, it is forgiven; and the line is needed.
sub forgiven { my ($line) = @_; $used{$line} = 1 if $except{$line}; return $except{$line} }

# ---- who includes whom --------------------------------------------------------------------------------

# The folder of a file, as the rules know folders: src/engine/lint/tx.c is of engine/lint.
sub layer {
	my ($path) = @_;
	for (my $d = dirname($path); $d ne '.'; $d = dirname($d)) {
		return $d if $may{$d};
	}
	return undef;
}

sub short { my ($path) = @_; return $path =~ s{^src/}{}r }

# What an #include of this file names: a file of the tree, or (not a path of it) a name.
sub named {
	my ($file, $name) = @_;
	for my $p ("src/$name", dirname($file) . "/$name", "tests/$name") {
		return short($p) if -e $p;
	}
	return $name;
}

sub includes {
	my ($file) = @_;
	return map { named($file, $_) } slurp($file) =~ /^\s*#\s*include\s+"([^"]+)"/mg;
}

sub allowed {
	my ($from, $target) = @_;
	my $to = layer($target);
	return 1 if defined $to && $to eq $from;
	for my $word (@{$may{$from}}) {
		my $pattern = join '.*', map { quotemeta } split /\*/, $word, -1;
		return 1 if $target =~ /^$pattern$/ || (defined $to && $to =~ /^$pattern$/);
	}
	return 0;
}

my @sources = grep { m{^(src|tests/ref)/.*\.(c|h|def)$} } @files;
my %wrong = map { $_ => [] } keys %may;
my @homeless;
for my $file (@sources) {
	my $from = layer(short($file));
	# Where folders have lines, all of them have.
	my $dir = dirname(short($file));
	if (!defined $from || ($dir ne $from && grep { m{^\Q$from\E/} } keys %may)) {
		push @homeless, "$file: $rules_file has no line for its folder";
		next;
	}
	for my $target (includes($file)) {
		next if allowed($from, $target) || forgiven("include " . short($file) . " $target");
		push @{$wrong{$from}}, "$file includes $target";
	}
}
none('every folder of src has a line in house.rules', @homeless);
none("$_ includes only what it may", @{$wrong{$_}}) for sort keys %may;

# ---- cycles -------------------------------------------------------------------------------------------

# Members of the largest strongly connected part (Tarjan).
sub largest_cycle {
	my ($edges) = @_;
	my (%index, %low, @stack, %on, @best, $visit);
	$visit = sub {
		my ($v) = @_;
		$index{$v} = $low{$v} = scalar keys %index;
		push @stack, $v;
		$on{$v} = 1;
		for my $w (sort keys %{$edges->{$v} || {}}) {
			if (!defined $index{$w}) {
				$visit->($w);
				$low{$v} = $low{$w} if $low{$w} < $low{$v};
			} elsif ($on{$w} && $index{$w} < $low{$v}) {
				$low{$v} = $index{$w};
			}
		}
		return if $low{$v} != $index{$v};
		my @part;
		do { push @part, pop @stack; delete $on{$part[-1]} } until $part[-1] eq $v;
		@best = @part if @part > @best;
	};
	no warnings 'recursion';
	defined $index{$_} or $visit->($_) for sort keys %$edges;
	return sort @best;
}

# A source and its header are one.
sub stem { my ($path) = @_; return $path =~ s/\.(c|h|def)$//r }

my %size;
for my $under (sort keys %cycle) {
	my %edges;
	for my $file (grep { m{^src/\Q$under\E/} } @sources) {
		my $from = stem(short($file));
		$edges{$from} //= {};
		for my $to (map { stem($_) } grep { m{^\Q$under\E/} } includes($file)) {
			$edges{$from}{$to} = 1 if $to ne $from;
		}
	}
	my @in = largest_cycle(\%edges);
	$size{$under} = @in;
	none("the largest cycle of includes in src/$under has at most $cycle{$under} files",
		@in > $cycle{$under} ? (scalar(@in) . ' files:', @in) : ());
}

# ---- a header of a room declares what its room defines -------------------------------------------------

for my $under (sort keys %rooms) {
	my %room;
	my $said = `nm -A --defined-only $build/rt/$under/*/*.o 2>/dev/null`;
	$room{$2} = $1 while $said =~ m{^\S*/([^/]+)/[^/]+\.o:[0-9a-f]+ [A-Z] (\w+)$}mg;
	none("there are objects of src/$under to look at", %room ? () : 'none: run make');
	my @elsewhere;
	for my $file (grep { m{^src/\Q$under\E/[^/]+/[^/]+\.h$} } @files) {
		my ($in) = $file =~ m{/([^/]+)/[^/]+$};
		for my $name (slurp($file) =~ /^(?!\s|static|#)[^\n(]*?\b(pd_\w+)\(/mg) {
			next if !defined $room{$name} || $room{$name} eq $in;
			next if forgiven("declares " . short($file) . " $name");
			push @elsewhere, "$file declares $name, which $room{$name} defines";
		}
	}
	none("headers of src/$under declare what their room defines", @elsewhere);
}

# ---- the core is pure ---------------------------------------------------------------------------------

my $pure = join '|', @{$list{pure}};
my @pure = grep { m{^src/($pure)/.*\.[ch]$} } @files;
my @objects = map { my $o = short($_) =~ s/\.c$/.o/r; ("$build/core/$o", "$build/pic/$o") } grep { /\.c$/ } @pure;
my @missing = grep { !-e } @objects;
none('every source of the core is compiled, for the tool and for the runtime', map { "$_ is missing: run make" } @missing);
@objects = grep { -e } @objects;

# What a program says of all objects; nothing said is a failure, not an answer.
sub ask {
	my ($command) = @_;
	return '' unless @objects;
	my $said = `$command @objects 2>&1`;
	die "$command: status $?\n$said" if $? || $said eq '';
	return $said;
}

my $symbols = ask('nm -A');
my %defined = map { $_ => 1 } $symbols =~ /^\S+:[0-9a-f]+ [A-Z] (\S+)$/mg;
my %outside = map { $_ => 1 } @{$list{outside}}, '_GLOBAL_OFFSET_TABLE_';
none('there are symbols to look at', %defined ? () : 'none');
my @strange = grep { m{:\s+U (\S+)$} && !$defined{$1} && !$outside{$1} } split /\n/, $symbols;
none('the core needs nothing from outside', @strange);

# Whatever can be written, also where it belongs to one function or one thread.
my @variables;
my $object = '';
for (split /\n/, ask('objdump -t')) {
	$object = $1 if /^(\S+\.o):/;
	push @variables, "$object: $1" if /\sO\s+(?:\.(?:data|bss|tdata|tbss)(?!\.rel\.ro)\S*|\*COM\*)\s+[0-9a-f]+\s+(.*)/;
}
none('the core has no variables', @variables);

my %free = map { $_ => 1 } @{$list{freestanding}};
none('the core includes headers of no libc', map {
	my $file = $_;
	map { "$file includes <$_>" } grep { !$free{$_} } slurp($file) =~ /^\s*#\s*include\s+<([^>]+)>/mg
} @pure);

# An address that is a constant is a variable by another name: in sources, a number that becomes a pointer ...
my $number = qr/PD_[A-Z0-9_]+\b(?!\s*\()|0x[0-9a-fA-F]+|[1-9][0-9]*[uUlL]*\b/;
my $pointer = qr/\(\s*(?:const\s+|volatile\s+)*(?:struct\s+|union\s+|enum\s+|unsigned\s+)?\w+\s*\*+\s*(?:const\s*)?\)/;
my @addressed;
for my $file (@pure, grep { m{^src/protocol/.*\.[ch]$} } @files) {
	my $text = slurp($file) =~ s{/\*.*?\*/}{ }gsr;
	for ($text =~ /($pointer\s*\(*\s*(?:$number))/g) {
		my $found = 'address ' . short($file) . ' ' . s/\s+/ /gr;
		push @addressed, $found unless forgiven($found);
	}
}
none('the core has nothing at a constant address', @addressed);

# ... and in objects, one that lies near the start of a region of the layout (event/layout.h): of 1 << 44 bytes each.
my @immediate = grep {
	no warnings 'portable';
	my ($v) = /movabs \$?0x([0-9a-f]+)/;
	$v = hex($v // 0);
	$v >> 44 >= 1 && $v >> 44 <= 7 && ($v & (1 << 44) - 1) < 1 << 40
} split /\n/, ask('objdump -d --no-show-raw-insn');
none('nor do its objects', @immediate);

# ---- the tree ------------------------------------------------------------------------------------------

my $makefile = slurp('Makefile');
my ($formatter) = $makefile =~ /^CLANG_FORMAT\s*\?=\s*(\S+)/m;
my ($formatted) = $makefile =~ /^FORMATTED\s*:=\s*(.*)/m;
my @formatted = grep { my $f = $_; /\.[ch]$/ && grep { $f =~ m{^\Q$_\E/} } split ' ', $formatted // '' } @files;
my $said = @formatted ? `$formatter --dry-run -Werror @formatted 2>&1` : 'the Makefile does not say which';
my @said = $? == 0 && @formatted ? () : split /\n/, $said || "$formatter cannot be run: $!";
none("the sources are formatted (make format, with $formatter)", @said > 20 ? @said[0 .. 19] : @said);

my $want = join "\n", map { /^PD_EVENT\([A-Z_0-9]*, "([^"]*)", "[^"]*", "(.*)"\)$/ ? "| `$1` | $2 |" : () }
	split /\n/, slurp('src/event/event.def');
my $have = join "\n", grep { /^\| `/ } split /\n/, slurp('docs/events.md');
is($have, $want, 'docs/events.md is as event.def says (tools/events makes it)');

# A file that the docs name is there, by its path or by the end of it.
my %ending;
for my $file (@files) {
	my @parts = split m{/}, $file;
	$ending{join '/', @parts[$_ .. $#parts]} = 1 for 0 .. $#parts;
}
none('the docs name files that are there', map {
	my $doc = $_;
	map { $ending{$_} ? () : "$doc: $_" } slurp($doc) =~ m{`([\w./-]+\.(?:c|h|cc|t|def|md|pl|sh|mk|rules|list))`}g
} grep { /\.md$/ } @files);

# A mutant whose text is gone breaks nothing, so nobody would notice (mutants.pl says so, but runs rarely).
none('each mutant stands in its file once', map {
	my ($file) = slurp($_) =~ /^file:\s*(\S+)/m;
	my ($old) = slurp($_) =~ /^old:[ \t]?(.*?)^new:/ms;
	my $piece = join '\s+', map { quotemeta } split ' ', $old // '';
	my $count = () = ($file && -e $file ? slurp($file) : '') =~ /$piece/g;
	$count == 1 && $piece ne '' ? () : "$_: $count times"
} grep { /\.mut$/ } @files);

none('every test can be executed', grep { /\.t$/ && !-x } @files);

# A package that nothing needs leaves tools/deps.
my ($packages) = slurp('tools/deps') =~ /^packages='(.*?)'/ms;
my %packages = map { $_ => 1 } split ' ', $packages;
my $all = join '', map { slurp($_) } grep { m{^(Makefile|(src|tests|bench)/.*\.(mk|t|sh|pl|c)|tests/bugs/run)$} } @files;
none('every package of tools/deps is used', (map { "$_: house.rules does not say for what" } grep { !$shows{$_} } sort keys %packages),
	(map { "$_: not in tools/deps" } grep { !$packages{$_} } sort keys %shows),
	map { "$_: nothing has '$shows{$_}'" } grep { $all !~ /(?<![\w-])\Q$shows{$_}\E(?![\w-])/ } sort keys %shows);

# ---- docs/ARCHITECTURE.md ------------------------------------------------------------------------------

my $map = slurp('docs/ARCHITECTURE.md');
my %row;
for (split /\n/, $map) {
	my ($names, $holds) = /^\| ((?:`[\w\/]+`(?:, )?)+) \| (.*) \|$/ or next;
	$row{$_} = $holds for $names =~ /`([\w\/]+)`/g;
}
my %folders = map { m{^(src/[^/]+|include)/} ? ($1 => 1) : () } @files;
none('its table has each folder of src, and no other', (map { "$_ is missing" } grep { !$row{$_} } sort keys %folders),
	map { "there is no $_" } grep { !$folders{$_} } sort keys %row);
for my $under (sort keys %rooms) {
	my %is = map { $_ => 1 } @{$rooms{$under}};
	is(join(' ', grep { $is{$_} } $row{"src/$under"} =~ /`(\w+)`/g), join(' ', @{$rooms{$under}}),
		"it has the rooms of src/$under, in their order");
}
my %engines = map { m{^src/engine/(\w+)/} ? ($1 => 1) : () } @files;
none('it has each engine', map { $row{'src/engine'} =~ /`$_`/ ? () : $_ } sort keys %engines);

# "X never knows Y": what house.rules must not allow, whoever edits it.
my %never = (
	'model' => 'engine|litmus|runtime', 'engine(/\w+)?' => 'engine/.*|litmus|runtime|report|drive', 'cc(/\w+)?' => 'model|engine.*',
	'cc' => 'cc/.*', 'cli|drive' => 'runtime.*|valgrind', 'report' => 'engine.*', 'tests/ref' => 'model.*', 'base' => '.*',
);
none('house.rules allows nothing that it rules out', map {
	my $from = $_;
	map { my $who = $_; map { "$who: $_" } grep { /^(?:$never{$from})$/ } @{$may{$who}} } grep { /^(?:$from)$/ } sort keys %may
} sort keys %never);

my %verb = map { m{^src/cli/cmd_(\w+)\.c$} ? ($1 => 1) : () } @files;
my ($verbs) = slurp('src/cli/main.c') =~ /verbs\[\] = \{(.*?)^\};/ms;
my %known = map { s/\+\+/c/r => 1 } $verbs =~ /\{"([\w+]+)",/g;
none('each verb has its cmd_*.c', (map { "$_: not a verb" } grep { !$known{$_} } sort keys %verb), map { "$_: no cmd_$_.c" } grep { !$verb{$_} } sort keys %known);

# What the compiler calls, the runtime has.
my %exported = map { $_ => 1 } `nm -D --defined-only $build/lib/perdure/libperdure_rt.so 2>/dev/null` =~ / [TW] (__pd_\w+)$/mg;
my $hooks = slurp('src/event/event.def');
my @hooks = $hooks =~ /^PD_HOOK\((\w+),/mg;
push @hooks, map { my $name = $_; map { "$name$_" } 1, 2, 4, 8, 16 } $hooks =~ /^PD_HOOKS_SIZED\((\w+),/mg;
none('the runtime defines each hook of event.def', @hooks ? () : 'none found', map { "__pd_$_" } grep { !$exported{"__pd_$_"} } @hooks);

# ---- words ---------------------------------------------------------------------------------------------

# What is said of a finding, and of what limits a verdict, is made in one place.
none('findings and limits are put into words by src/report', map {
	my $file = $_;
	slurp($file) =~ /(\bpd_result_limit\(|(?:->|\.)(?:message|fix|limits\.v\[\w+\]) = "|\bstrstr\([^;]*(?:->|\.)(?:message|fix|explain)\b)/ ? "$file: $1" : ()
} grep { m{^src/.*\.[ch]$} && !m{^src/(report|oracle)/} } @files);

# ---- tests ---------------------------------------------------------------------------------------------

my @tests = grep { m{^tests/} && m{\.(t|pl|sh|c|cc|h)$|/run$} && $_ ne 'tests/e2e/house.t' } @files;

# Without comments.
sub code_of {
	my ($file) = @_;
	my $text = slurp($file);
	return $text =~ s{/\*.*?\*/}{ }gsr =~ s{//.*}{}gr if $file =~ /\.(c|cc|h)$/;
	return $text =~ s/^\s*#.*//mgr;
}

# What a test waits for happens, or the test fails: it does not sleep, look at a clock, or loop until it may be. A limit that
# is far above what a thing takes (timeout 60 ...) is none of these.
my $waits = qr/\b(?:u|nano|clock_nano)?sleep\s*\(|\bsleep_(?:for|until)\b|\b(?:setitimer|timer_create|gettimeofday|clock_gettime)\b|\balarm\s*\(|
	\btime\s*\(\s*(?:NULL|0)\s*\)|\bsteady_clock\b|^\s*sleep\s+[\d.\$]|[;&]\s*sleep\s+[\d.\$]|\balarm\s+[\$\d]|\bTime::HiRes\b|
	--time-limit\b|--hang\b|\btimeout\s+-s|\$\(date\b|\bps\s+-e|^\s*(?:until|while)\s.*;\s*do\s+:;\s*done/mx;
none('tests wait for no clock', map {
	my $file = $_;
	code_of($file) =~ /($waits)/ && !forgiven("time $file") ? "$file: $1" : ()
} @tests);

# One library for each language: Test::More, tests/lib/tap.sh, tests/lib/tap.h; and cmocka for unit tests.
my $own = qr/^\s*sub\s+ok\b|^\s*ok\s*\(\s*\)|"(?:not\s)?ok\s%|%sok\s|\b(?:echo|print|printf|puts)\b[^\n]*["'(](?:not\s)?ok\s+[\d\$%]/m;
none('tests have one TAP library', map { my $file = $_; $file !~ m{^tests/lib/} && code_of($file) =~ /($own)/ ? "$file: $1" : () } @tests);

# ... and assert something.
my $empty = qr/^\s*ok\s+0\s|[;&|]\s*ok\s+0\s|\bok\s*\(\s*1\s*,|^\s*pass\s*\(|\bassert_true\s*\(\s*(?:1|true)\s*\)/m;
none('no assertion is a constant', map { my $file = $_; code_of($file) =~ /($empty)/ ? "$file: $1" : () } @tests);

# ---- the lists only get shorter --------------------------------------------------------------------------

my @idle = grep { !$used{$_} } sort keys %except;
my @loose = grep { $size{$_} < $cycle{$_} } sort keys %cycle;
if ($shrink) {
	my %idle = map { $_ => 1 } @idle;
	my $text = join '', grep { my $line = s/\s*#.*//sr; $line =~ s/\n$//; !$idle{$line} } map { "$_\n" } split /\n/, slurp($rules_file);
	$text =~ s/^(cycle \Q$_\E) .*/$1 $size{$_}/m for @loose;
	open my $f, '>', $rules_file or die "$rules_file: $!";
	print $f $text;
	close $f;
	(@idle, @loose) = ();
}
none('house.rules forgives only what is still there (house.t --shrink)', @idle,
	map { "cycle $_ $cycle{$_}: it has $size{$_}" } @loose);
done_testing();
