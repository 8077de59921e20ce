#!/usr/bin/perl
# The page of `perdure report --html`, in a real browser: what it shows, what it lets pass, how fast it is. TAP.
#
#	tests/page/page.pl [--keep DIR]     DIR gets the pages and pictures of them, to be looked at
use strict;
use warnings;
use utf8;
use Cwd qw(abs_path);
use File::Basename;
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use JSON::PP;
use Test::More;
binmode(Test::More->builder->$_, ':utf8') for qw(output failure_output);
use lib dirname(abs_path($0));
use Browser;

my $top = abs_path(dirname($0) . '/../..');
my $perdure = $ENV{PERDURE} || "$top/build/perdure";
my $keep = @ARGV == 2 && $ARGV[0] eq '--keep' ? $ARGV[1] : undef;
my $dir = $keep // tempdir(CLEANUP => 1);
my $json = JSON::PP->new->utf8->canonical;
make_path($dir);
$dir = abs_path($dir);
chdir $dir or die "$dir: $!\n";

sub slurp {
	my ($path) = @_;
	open(my $f, '<:raw', $path) or die "$path: $!\n";
	local $/;
	return scalar <$f>;
}

sub spew {
	my ($path, $text) = @_;
	open(my $f, '>:raw', $path) or die "$path: $!\n";
	print $f $text;
	close $f;
}

# A command that ends with one of the statuses; 1 is findings.
sub run {
	my ($command, @ok) = @_;
	my $out = `$command 2>&1`;
	die "$command: status " . ($? >> 8) . "\n$out" if !grep { $? >> 8 == $_ } @ok;
	return $out;
}

# ---- what is looked at -------------------------------------------------------------------------------

# A real failure, twice: by perdure, and as its page.
system("cp $top/examples/notes.c .") == 0 or die;
run("$perdure cc -g -DBUG -o notes notes.c", 0);
run("$perdure check --explain --pm '*.pm' --out real ./notes my.pm first second", 1);
run("$perdure report --html real.html real", 1);
my $real = $json->decode(slurp('real/result.json'));

# The same, where recovery reads on in one place.
my $folded = $json->decode(slurp('real/result.json'));
my $story = $folded->{findings}[0]{story};
my ($sure) = grep { $story->[$_]{step} eq 'read' && !$story->[$_]{of} } 0 .. $#$story;
splice @$story, $sure, 0, ($story->[$sure]) x 6;
spew('folded.json', $json->encode($folded));
run("$perdure report --html folded.html folded.json", 1);

# Another, whose line has a version that is durable, one that recovery takes, and one that is lost.
run("$perdure cc -g -O1 -DFIXED=0 -I$top/bugs -o case $top/bugs/freelist-push/case.c", 0);
run("$perdure check --only crash --pm '*.pm' --out list ./case x.pm", 1);
run("$perdure report --html list.html list", 1);

# What a tested program could print and be called.
my @hostile = ('</script><script>window.pwned = 1</script>', '<!--<script>', '<img src=x onerror="window.pwned = 1">', '"><svg onload=window.pwned=1>',
	"\x{2028}window.pwned=1//", '</textarea><iframe src="https://example.invalid/a"></iframe>', 'javascript:window.pwned=1', '&lt;b&gt;', "\x{202e}rtl", '{{1+1}}', '@DATA@');

sub finding {
	my ($i, %more) = @_;
	my @kinds = (['lint/missing-flush', 'correctness'], ['lint/extra-fence', 'performance'], ['torn/store', 'portability']);
	my ($kind, $severity) = @{$kinds[$i % 3]};
	return {id => sprintf('%010x', $i + 1), kind => $kind, severity => $severity, message => "finding number-$i", confirmed => JSON::PP::false, count => 1,
		sites => [{role => 'store', file => "/nowhere/f" . $i % 40 . '.c', line => 1 + $i, function => "f$i", stack => []}], %more};
}

sub result {
	my (@findings) = @_;
	return {schema => 1, tool => 'perdure', version => '0', verb => 'lint', command => ['./p'], complete => JSON::PP::true, limits => [],
		findings => \@findings, stats => {events => 1}, losses => {}};
}

my $bad = result(map { my $t = $hostile[$_]; finding($_, message => $t, field => $t, fix => $t, replay => $t, output => $t, library => $_ ? undef : $t, explain => [$t],
	sites => [{role => 'store', file => "/$t.c", line => 1, function => $t, stack => [{file => $t, line => 2, function => $t}]}]) } 0 .. $#hostile);
$bad->{findings}[1]{kind} = 'linear/not-linearizable';
$bad->{findings}[1]{facts} = {history => [map { +{operation => $hostile[$_], thread => $_ % 2, call => 2 * $_, return => 2 * $_ + 1, $_ ? () : (unexplained => JSON::PP::true)} } 0 .. 3],
	history_crashes => [{at => 3}]};
$bad->{command} = \@hostile;
$bad->{losses} = {$hostile[0] => {count => 1, examples => \@hostile}};
$bad->{stats} = {map { $_ => 1 } @hostile};
$bad->{coverage} = {stores => 1, at_stake => 1, read => 0, read_at_stake => 0, files => [],
	sites => [map { +{file => $_, line => 1, column => 1, function => $_, pm => $_, execution => 'program', at_stake => JSON::PP::true, read => JSON::PP::false,
		read_at_stake => JSON::PP::false} } @hostile]};
spew('hostile.json', $json->encode($bad));
run("$perdure report --html hostile.html hostile.json", 1);

spew('many.json', $json->encode(result(map { finding($_) } 0 .. 9999)));
run("$perdure report --html many.html many.json", 1);

my $b = Browser->start;

# ---- helpers in the page -----------------------------------------------------------------------------

# Every text that is shown, with its contrast: of each text node its colour against what lies behind it.
my $contrast = <<'JS';
(() => {
	const parse = (c) => { const m = c.match(/[\d.]+/g).map(Number); return { r: m[0], g: m[1], b: m[2], a: m.length > 3 ? m[3] : 1 }; };
	const light = (c) => [c.r, c.g, c.b].map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
	const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
	const ground = (e) => {
		for (let n = e; n; n = n.parentElement) {
			if (n.namespaceURI.endsWith("svg")) {
				const rect = n.tagName === "g" && [...n.children].find((c) => c.tagName === "rect" && !getComputedStyle(c).fill.includes("url"));
				if (rect && getComputedStyle(rect).fill !== "none") return parse(getComputedStyle(rect).fill);
				continue;
			}
			const c = parse(getComputedStyle(n).backgroundColor);
			if (c.a === 1) return c;
		}
		return { r: 255, g: 255, b: 255, a: 1 };
	};
	const bad = [];
	let n = 0;
	for (const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); walker.nextNode();) {
		const e = walker.currentNode.parentElement, style = getComputedStyle(e);
		if (!walker.currentNode.data.trim() || ["SCRIPT", "STYLE", "NOSCRIPT", "OPTION"].includes(e.tagName) || !e.getClientRects().length || e.closest(".skip")) continue;
		const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
		const r = ratio(parse(e.namespaceURI.endsWith("svg") ? style.fill : style.color), ground(e));
		n++;
		if (r < (large ? 3 : 4.5)) bad.push(r.toFixed(2) + " " + e.tagName + "." + e.getAttribute("class") + ": " + walker.currentNode.data.trim().slice(0, 40));
	}
	return { n, bad };
})()
JS

sub contrast_ok {
	my ($name) = @_;
	my $c = $b->ask($contrast);
	ok($c->{n} > 10 && !@{$c->{bad}}, "$name: all $c->{n} texts have contrast") or diag(join "\n", @{$c->{bad}});
}

# Nothing went out and nothing went wrong.
sub quiet {
	my ($name) = @_;
	my @requests = grep { $_->{params}{request}{url} !~ m{^file://\Q$dir\E/\w+\.html} } $b->events('Network.requestWillBeSent');
	is_deeply([map { $_->{params}{request}{url} } @requests], [], "$name: no request leaves");
	is_deeply([map { $_->{params}{exceptionDetails}{text} } $b->events('Runtime.exceptionThrown')], [], "$name: no error in the script");
}

sub text { my ($selector) = @_; return $b->ask("document.querySelector('$selector')?.textContent ?? null") }
sub count { my ($selector) = @_; return $b->ask("document.querySelectorAll('$selector').length") }

# ---- a real failure ----------------------------------------------------------------------------------

$b->size(1280, 900);
$b->scheme('light');
$b->open_page("file://$dir/real.html");
my ($crash) = grep { $_->{kind} eq 'crash/recovery-abort' } @{$real->{findings}};
my $n = @{$real->{findings}};
is(text('#headline'), $crash->{message}, 'the first finding is open, with its message');
like(text('#verdict'), qr/^perdure check: 1 bug\. Explored all/, 'the verdict is the summary');
is(count('.row'), $n, 'the list has all findings');
is(text('.fix'), $crash->{fix}, 'the fix');
my $lines = $json->decode($json->encode($crash->{explain}));
s/^\s+// for @$lines;
my $shown = $b->ask('[...document.querySelectorAll(".steps li")].map((e) => e.textContent)');
my %shown = map { $_ => 1 } @$shown;
is_deeply([grep { !$shown{$_} } @$lines], [], 'the story as text has every line of --explain');
is(count('svg .crash'), 1, 'one crash');
ok(count('svg .arc.missed') == 1 && count('svg .arc:not(.missed)') >= 1, 'an arc to the version that was lost, and one to the newest');
ok(count('svg .ver.lost') >= 1 && count('svg .ver.before') == 2, 'versions of both lines, some lost');
is($b->ask('[...document.querySelectorAll(".gutter .label")].map((e) => e.textContent).join()'), 'thread 0,recovery,my.pm+0x40,my.pm+0x0', 'two cache lines');
$b->hover('svg .ev.store');
like(text('.now'), qr/notes\.c:43 in add.*store of 8 bytes.*0x5.*43 \| n->length/s, 'a step that is pointed at shows value and source line');
is(count('.steps li.on'), 1, 'and is marked in the text');
my $events = count('svg .ev');
$b->click('svg .fold');
ok(count('svg .ev') > $events, 'folded reads unfold');
my $wide = $b->ask('document.querySelector(".scroll svg").clientWidth');
$b->click('.zoom button[aria-label="Zoom in"]');
ok($b->ask('document.querySelector(".scroll svg").clientWidth') > $wide, 'zoom');
$b->ask('document.querySelector(".scroll").focus()');
$b->press('ArrowRight') for 1 .. 2;
is($b->ask('document.activeElement.dataset.step'), $b->ask('document.querySelectorAll("svg .ev")[1].dataset.step'), 'steps by the keyboard');
like(text('.src .marked'), qr/43.*n->length/, 'the source is quoted, and its line marked');
like(text('.place .stack'), qr/notes\.c:72 in main/, 'callers');
like(text('pre.out'), qr/Assertion/, 'the output of the program');
is($b->ask('[...document.querySelectorAll(".copy code")].map((e) => e.textContent).join("; ")'), "$crash->{patch}; $crash->{replay}", 'the commands for a patch and for a replay');
$b->click('.copy button');
ok($b->becomes('document.querySelector(".copy button").textContent === "Copied"'), 'is copied');
contrast_ok('light');
$b->click('#theme');
is($b->ask('document.documentElement.dataset.theme'), 'dark', 'dark');
contrast_ok('dark');
$b->click('#theme');
$b->click('#tabs a[href="#coverage"]');
ok($b->becomes('document.querySelectorAll(".src .cov-tested").length >= 1'), 'coverage is annotated source');
like(text('.plot'), qr/read at stake/, 'and figures');
contrast_ok('coverage');
$b->click('#tabs a[href="#statistics"]');
ok($b->becomes('document.querySelector("table")'), 'figures');
like(text('table'), qr/crash_points\D*4/, 'statistics');
contrast_ok('statistics');
$b->press('?');
ok($b->ask('document.getElementById("keys").open'), 'help on keys');
quiet('a real failure');

# Deep links, sizes.
$b->open_page("file://$dir/real.html#$real->{findings}[-1]{id}");
is(text('#headline'), $real->{findings}[-1]{message}, 'a deep link opens its finding');
for my $size ([320, 640], [1280, 900], [3840, 2160]) {
	for my $scheme (qw(light dark)) {
		$b->size(@$size);
		$b->scheme($scheme);
		$b->open_page("file://$dir/real.html#$crash->{id}");
		$b->ask('localStorage.removeItem("perdure-theme")');
		$b->open_page("file://$dir/real.html#$crash->{id}");
		is($b->ask('document.documentElement.dataset.theme'), $scheme, "$size->[0] px: $scheme, as the system is");
		ok($b->ask('document.documentElement.scrollWidth') <= $size->[0], "$size->[0] px, $scheme: nothing is wider than the screen");
		ok($b->ask('document.querySelector("#headline").getClientRects().length') > 0, "$size->[0] px, $scheme: the finding is shown");
		is_deeply($b->ask('[...document.querySelectorAll("svg .ev .dim")].map((e) => e.textContent).filter((t) => t && !t.startsWith("⋯") && !/:[0-9]+$/.test(t))'), [], "$size->[0] px, $scheme: a place that is cut keeps its line");
		$b->screenshot("$keep/page-$size->[0]-$scheme.png") if $keep;
	}
}
# On paper: the finding, with its timeline, and nothing to click at.
$b->size(1280, 900);
$b->open_page("file://$dir/real.html#$crash->{id}");
$b->call('Emulation.setEmulatedMedia', {media => 'print'});
is($b->ask('[...document.querySelectorAll("nav, .side, .zoom, .copy button")].filter((e) => e.getClientRects().length).length'), 0, 'print: no controls');
ok($b->ask('[...document.querySelectorAll("#headline, svg .crash, .src")].every((e) => e.getClientRects().length)'), 'print: the finding, its timeline and its sources');
is($b->ask('[...document.querySelectorAll(".open, pre.out, .scroll")].filter((e) => getComputedStyle(e).overflowY !== "visible").length'), 0, 'print: nothing is cut off');
$b->call('Emulation.setEmulatedMedia', {media => ''});

$b->size(320, 640);
$b->open_page("file://$dir/real.html#$crash->{id}");
$b->click('.back');
ok($b->becomes('document.querySelector(".list").getClientRects().length && !document.querySelector(".open").getClientRects().length'), '320 px: back to the list');

# Reads in one place are one line of the text until it is opened.
$b->size(1280, 900);
$b->open_page("file://$dir/folded.html");
ok($b->becomes('document.querySelector(".steps details summary")?.textContent === "6 more reads there"'), 'folded reads: one line');
is($b->ask('document.querySelectorAll(".steps details li").length'), 6, 'folded reads: all of them are in it');
is($b->ask('document.querySelectorAll(".steps li[id]").length'), scalar(@$story), 'folded reads: each step is there once');
quiet('folded reads');

# Versions: two reads of one line, of which one saw the newest of its bytes and the other missed what came after.
$b->size(1280, 900);
$b->open_page("file://$dir/list.html");
ok($b->becomes('document.querySelector("svg .arc")'), 'versions: drawn');
is_deeply($b->ask('[...document.querySelectorAll("svg .ver.lost")].map((e) => e.textContent.slice(0, 2))'), ['v4'], 'versions: only what no read has seen is lost');
is_deeply($b->ask('[...document.querySelectorAll("svg .dur:not(.before)")].map((e) => e.textContent)'), ['v2', 'v1'], 'versions: what the first fence made durable');
is_deeply($b->ask('[...document.querySelectorAll("svg .dim")].map((e) => e.textContent).filter((t) => t.endsWith("possible"))'), ['v2 … v4 possible', 'v1 or v2 possible'], 'versions: what the crash may leave');
quiet('versions');

# ---- hostile strings ---------------------------------------------------------------------------------

$b->size(1280, 900);
$b->scheme('light');
$b->open_page("file://$dir/hostile.html");
is(count('.row'), scalar @hostile, 'hostile: all findings are there');
my %ids = map { $_->{message} => $_->{id} } @{$bad->{findings}};
for my $text (@hostile) {
	$b->go($ids{$text}) if $b->ask('location.hash') ne "#$ids{$text}";
	is(text('#headline'), $text, 'hostile: shown as text: ' . $json->encode([$text]));
	next if $text ne $hostile[1];
	is(count('svg .ev') . ' ' . count('svg .crash') . ' ' . count('svg .wrong'), '4 1 1', 'operations of a history are drawn, with the crash and the one that is wrong');
	is(text('svg .wrong'), $hostile[0], 'hostile: an operation');
}
for my $view (qw(overview coverage statistics)) {
	$b->go($view);
	ok($b->ask('document.querySelector("main").textContent')=~ /onerror/, "hostile: $view");
}
is($b->ask('typeof window.pwned'), 'undefined', 'hostile: nothing was executed');
is(count('img, iframe, object, embed, link, [onerror], [onload]') . ' ' . count('script'), '0 2', 'hostile: no element was made of them');
is($b->ask('[...document.querySelectorAll("a")].filter((a) => !a.getAttribute("href").startsWith("#")).length'), 0, 'hostile: no link leads out');
quiet('hostile');

# The policy holds by itself, too: were markup to get in, it would do nothing.
is($b->ask('const x = document.createElement("script"); x.textContent = "window.pwned = 1"; document.body.append(x); typeof window.pwned'), 'undefined', 'policy: no other script');
is($b->ask('fetch("https://example.invalid/").then(() => "sent", (e) => "refused")'), 'refused', 'policy: no request');
is($b->ask('new Promise((r) => { const i = new Image(); i.onload = () => r("loaded"); i.onerror = () => r("refused"); i.src = "https://example.invalid/i.png"; })'), 'refused', 'policy: no image');

# ---- ten thousand ------------------------------------------------------------------------------------

$b->open_page("file://$dir/many.html");
my $loaded = $b->ask('performance.getEntriesByType("navigation")[0].loadEventEnd');
ok($loaded < 5000, sprintf 'ten thousand: loaded in %.0f ms', $loaded);
ok($b->ask('document.querySelectorAll("*").length') < 1500, 'ten thousand: few elements');
sub timed {
	my ($name, $code) = @_;
	my $ms = $b->ask("(() => { const t = performance.now(); $code; document.body.offsetHeight; return performance.now() - t; })()");
	ok($ms < 500, sprintf "ten thousand: $name in %.0f ms", $ms);
}
timed('scrolled to the end', 'app.list.scrollTop = 1e9; drawRows()');
like($b->ask('[...document.querySelectorAll(".row")].at(-1).textContent'), qr/finding number-\d+/, 'ten thousand: the last rows');
timed('filtered', 'app.text.value = "number-77"; app.text.dispatchEvent(new Event("input"))');
like(text('.count'), qr/^111 of 10,000 findings/, 'ten thousand: 111 have it');
$b->press('j');
timed('next finding', 'moveTo(app.cursor + 1)');
$b->press('/');
is($b->ask('document.activeElement.type'), 'search', '/ goes to the filter');
$b->press('Escape');
$b->ask('app.text.value = ""; const sel = document.querySelector("select"); sel.value = "lint/extra-fence"; sel.dispatchEvent(new Event("change"))');
like(text('.count'), qr/^3,333 of/, 'filtered by kind');
quiet('ten thousand');

$b->stop;
done_testing;
