/* json_test.c - JSON: the promised schema, the way back, files that are not what they should be. */
#include "unit/report_sample.h"
#include <jansson.h>

static json_t *parsed(const struct pd_result *r)
{
	size_t n;
	char *text = written(r, pd_report_json, &n);
	json_t *j = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);

	assert_non_null(j);
	free(text);
	return j;
}

static const char *at(json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

/* Field by field what docs/report-format.md promises. */
static void schema(void **state)
{
	struct sample s;
	json_t *j, *f, *site, *crashes, *read;

	(void)state;
	sample_init(&s);
	j = parsed(&s.r);
	assert_int_equal(json_integer_value(json_object_get(j, "schema")), 1);
	assert_string_equal(at(j, "tool"), "perdure");
	assert_string_equal(at(j, "version"), PD_VERSION);
	assert_string_equal(at(j, "verb"), "check");
	assert_int_equal(json_array_size(json_object_get(j, "command")), 3);
	assert_true(json_is_false(json_object_get(j, "complete")));
	assert_int_equal(json_array_size(json_object_get(j, "findings")), 2);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(j, "stats"), "executions")),
		621);
	assert_true(json_is_object(json_object_get(json_object_get(j, "losses"), "inline-asm")));
	f = json_array_get(json_object_get(j, "findings"), 0);
	assert_int_equal(strlen(at(f, "id")), 10);
	assert_string_equal(at(f, "kind"), "crash/recovery-signal");
	assert_string_equal(at(f, "severity"), "correctness");
	assert_string_equal(at(f, "cause"), "missing-flush");
	assert_true(json_is_true(json_object_get(f, "confirmed")));
	assert_non_null(at(f, "message"));
	assert_non_null(at(f, "fix"));
	assert_memory_equal(at(f, "replay"), "perdure replay --out 'out dir' ", 31);
	assert_string_equal(at(json_object_get(f, "witness"), "choices"), "c0 c1 v2/4");
	crashes = json_object_get(json_object_get(f, "witness"), "crashes");
	assert_int_equal(json_array_size(crashes), 2);
	assert_string_equal(at(json_array_get(crashes, 0), "before"), "clflush");
	assert_int_equal(json_integer_value(json_object_get(json_array_get(crashes, 0), "line")),
			 42);
	read = json_array_get(json_object_get(json_array_get(crashes, 1), "reads"), 0);
	assert_int_equal(json_integer_value(json_object_get(read, "value")), 2);
	assert_int_equal(json_integer_value(json_object_get(read, "of")), 4);
	assert_string_equal(at(read, "function"), "list_read");
	assert_string_equal(at(read, "seen"), "0xffffffffffffffff");
	site = json_array_get(json_object_get(f, "sites"), 0);
	assert_string_equal(at(site, "role"), "store");
	assert_string_equal(at(site, "file"), "src/my list.c");
	assert_int_equal(json_integer_value(json_object_get(site, "line")), 42);
	assert_string_equal(at(site, "function"), "list_insert");
	assert_int_equal(json_array_size(json_object_get(site, "stack")), 2);
	site = json_array_get(json_object_get(f, "sites"), 2);
	assert_true(json_is_null(json_object_get(site, "file")));
	assert_true(json_is_null(json_object_get(site, "line")));
	json_decref(j);
	sample_finish(&s);
}

static void facts(void **state)
{
	json_t *j, *f, *lost;
	struct sample s;

	(void)state;
	sample_init(&s);
	j = parsed(&s.r);
	f = json_object_get(json_array_get(json_object_get(j, "findings"), 0), "facts");
	assert_int_equal(json_object_size(f), 5);
	assert_string_equal(at(json_object_get(f, "address"), "file"), "/mnt/x.pm");
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(f, "address"), "offset")), 0x40);
	assert_int_equal(json_integer_value(json_object_get(f, "size")), 8);
	assert_true(json_is_true(json_object_get(f, "unflushed")));
	assert_string_equal(at(f, "fix"), "log");
	lost = json_object_get(f, "lost");
	assert_int_equal(json_array_size(lost), 2);
	assert_string_equal(at(json_array_get(lost, 0), "seen"), "0xffffffffffffffff");
	assert_int_equal(json_integer_value(json_object_get(json_array_get(lost, 1), "store")), 2);
	json_decref(j);
	/* A finding without facts has no such object. */
	assert_int_equal(s.r.findings.items.v[1]->facts.n, 0);
	sample_finish(&s);
}

static int64_t figure(json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static void story(void **state)
{
	json_t *j, *list, *step;
	struct sample s;

	(void)state;
	sample_init(&s);
	j = parsed(&s.r);
	list = json_object_get(json_array_get(json_object_get(j, "findings"), 0), "story");
	assert_int_equal(json_array_size(list), PD_LEN(sample_story));
	step = json_array_get(list, 0);
	assert_string_equal(at(step, "step"), "line");
	assert_int_equal(figure(json_object_get(step, "address"), "offset"), 0x40);
	assert_true(json_is_true(json_object_get(step, "page")));
	step = json_array_get(list, 1);
	assert_string_equal(at(step, "event"), "store");
	assert_string_equal(at(step, "value"), "0x5");
	assert_string_equal(at(json_object_get(json_object_get(step, "at"), "caller"), "function"),
			    "main");
	assert_int_equal(figure(step, "before"), 1);
	assert_int_equal(figure(step, "after"), 2);
	assert_int_equal(figure(step, "durable"), 1);
	assert_null(json_object_get(step, "took"));
	step = json_array_get(list, 4);
	assert_int_equal(figure(step, "took"), 1);
	assert_int_equal(figure(step, "newest"), 2);
	assert_string_equal(at(step, "instead_of"), "0x5");
	assert_string_equal(at(json_array_get(list, 5), "kind"), "crash/recovery-signal");
	json_decref(j);
	/* A finding that was not run again has none. */
	assert_int_equal(s.r.findings.items.v[1]->story.n, 0);
	sample_finish(&s);
}

/* A place that stores to two files counts once in the whole. */
static void coverage(void **state)
{
	json_t *j, *c, *file, *site;
	struct sample s;

	(void)state;
	sample_init(&s);
	j = parsed(&s.r);
	c = json_object_get(j, "coverage");
	assert_int_equal(figure(c, "stores"), 2);
	assert_int_equal(figure(c, "at_stake"), 1);
	assert_int_equal(figure(c, "read"), 1);
	assert_int_equal(figure(c, "read_at_stake"), 0);
	assert_int_equal(json_array_size(json_object_get(c, "files")), 2);
	file = json_array_get(json_object_get(c, "files"), 1);
	assert_string_equal(at(file, "pm"), "/b.pm");
	assert_int_equal(figure(file, "at_stake"), 1);
	assert_int_equal(figure(file, "read"), 0);
	assert_int_equal(json_array_size(json_object_get(c, "sites")), 3);
	site = json_array_get(json_object_get(c, "sites"), 1);
	assert_string_equal(at(site, "function"), "put");
	assert_string_equal(at(site, "pm"), "/a.pm");
	assert_string_equal(at(site, "execution"), "program");
	assert_true(json_is_true(json_object_get(site, "read")));
	assert_true(json_is_false(json_object_get(site, "read_at_stake")));
	json_decref(j);
	sample_finish(&s);
}

static void round_trip(void **state)
{
	struct pd_arena a;
	struct pd_result back;
	struct pd_error e;
	struct sample s;
	size_t n, m;
	char *one, *two;

	(void)state;
	sample_init(&s);
	pd_arena_init(&a, pd_host_memory());
	one = written(&s.r, pd_report_json, &n);
	assert_true(pd_result_parse(&back, &a, one, n, "x.json", &e));
	pd_result_finish(&back);
	two = written(&back, pd_report_json, &m);
	assert_string_equal(one, two);
	assert_int_equal(pd_result_status(&back), pd_result_status(&s.r));
	assert_int_equal(back.findings.items.v[0]->witness.schedule.policy, PD_POLICY_LATE);
	assert_int_equal(back.findings.items.v[0]->witness.schedule.seed, 17);
	assert_int_equal(back.findings.items.v[0]->witness.schedule.nth, 2);
	assert_int_equal(back.findings.items.v[0]->sites[0].function_line, 40);
	assert_int_equal(back.findings.items.v[0]->id, s.r.findings.items.v[0]->id);
	free(one);
	free(two);
	pd_arena_finish(&a);
	sample_finish(&s);
}

/* Of the settings nothing goes out that is nobody else's business; in a directory they are
 * whole. */
static void settings_stay_at_home(void **state)
{
	static pd_report_writer *const write[] = {pd_report_json, pd_report_json_whole};
	struct sample s;
	size_t n;

	(void)state;
	sample_init(&s);
	pd_result_settings(&s.r, "{\"stdin\":null}");
	for (int whole = 0; whole < 2; whole++) {
		char *text = written(&s.r, write[whole], &n);
		json_t *j = json_loadb(text, n, 0, NULL), *all = json_object_get(j, "settings");
		json_t *first = json_array_get(all, 0);

		assert_int_equal(json_array_size(all), 2);
		assert_true(json_is_array(json_object_get(first, "program")));
		assert_true(json_is_array(json_object_get(first, "new")));
		assert_int_equal(json_is_object(json_object_get(first, "environment")), whole);
		assert_int_equal(json_is_string(json_object_get(first, "stdin")), whole);
		assert_int_equal(json_is_true(json_object_get(first, "stdin")), !whole);
		assert_true(json_is_null(json_object_get(json_array_get(all, 1), "stdin")));
		json_decref(j);
		free(text);
	}
	sample_finish(&s);
}

/* As they are written they are read: whatever is in them, and however many are alike. */
static void settings_come_back(void **state)
{
	struct pd_result back;
	struct pd_arena a;
	struct pd_error e;
	struct sample s;
	char *text;
	size_t n;

	(void)state;
	sample_init(&s);
	pd_arena_init(&a, pd_host_memory());
	pd_result_settings(&s.r, "{\"seed\":1,\"environment\":{\"A\":\"1\"}}");
	pd_result_settings(&s.r, "{\"seed\":1,\"environment\":{\"A\":\"2\"}}");
	text = written(&s.r, pd_report_json_whole, &n);
	assert_true(pd_result_parse(&back, &a, text, n, "x", &e));
	assert_int_equal(back.settings.n, 3);
	assert_string_equal(back.settings.v[0], sample_settings);
	assert_int_equal(back.findings.items.v[0]->witness.settings, 0);
	assert_int_equal(back.findings.items.v[1]->witness.settings, PD_NO_SETTINGS);
	free(text);
	text = written(&s.r, pd_report_json, &n);
	assert_true(pd_result_parse(&back, &a, text, n, "x", &e));
	assert_int_equal(back.settings.n, 3);
	free(text);
	pd_arena_finish(&a);
	sample_finish(&s);
}

/* An id that is read is the one that would be computed: nothing that goes into it gets lost. */
static void id_can_be_computed_again(void **state)
{
	struct pd_arena a;
	struct pd_result back;
	struct pd_error e;
	struct sample s;
	size_t n;
	char *text;

	(void)state;
	sample_init(&s);
	pd_arena_init(&a, pd_host_memory());
	text = written(&s.r, pd_report_json, &n);
	assert_true(pd_result_parse(&back, &a, text, n, "x", &e));
	for (uint32_t i = 0; i < back.findings.items.n; i++)
		assert_int_equal(pd_finding_id(back.findings.items.v[i]),
				 back.findings.items.v[i]->id);
	free(text);
	pd_arena_finish(&a);
	sample_finish(&s);
}

static void utf8(void **state)
{
	static const struct {
		const char *in, *out;
	} t[] = {
		{"", ""},
		{"a\xc3\xa4", "a\xc3\xa4"},
		{"\xff", "\xef\xbf\xbd"},
		{"\xc3", "\xef\xbf\xbd"},
		{"\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xed\xa0\x80x", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx"},
		{"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
		{"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	};

	(void)state;
	for (size_t i = 0; i < PD_LEN(t); i++) {
		char *s = pd_utf8_clean(t[i].in);

		assert_string_equal(s, t[i].out);
		free(s);
	}
	/* Whatever passes must pass jansson's check, too. */
	for (unsigned x = 0; x < 0x1000000; x += 251) {
		char in[4] = {(char)x, (char)(x >> 8), (char)(x >> 16), 0};
		char *s = pd_utf8_clean(in);
		json_t *j = json_string(s);

		assert_non_null(j);
		json_decref(j);
		free(s);
	}
}

struct bad {
	const char *key, *value; /* replaced in a good file; value NULL: removed */
	const char *says;
};

static void top_level_errors(void **state)
{
	static const struct bad bad[] = {
		{"schema", "2", "schema: expected 1; it was made by another version"},
		{"schema", "\"1\"", "schema: expected a whole number"},
		{"tool", "\"other\"", "tool: expected \"perdure\""},
		{"tool", NULL, "tool: expected a value"},
		{"version", NULL, "version: expected a value"},
		{"verb", "7", "verb: expected a string"},
		{"command", "[1]", "command: expected a list of strings"},
		{"command", "{}", "command: expected a list"},
		{"complete", "1", "complete: expected true or false"},
		{"complete", "true", "complete: expected false where a limit"},
		{"limits", "[[]]", "limits: expected a list of strings"},
		{"findings", NULL, "findings: expected a value"},
		{"findings", "[3]", "findings[0]: expected an object"},
		{"findings", "[{}]", "findings[0].kind: expected a value"},
		{"stats", "{\"a\":[]}", "stats: expected numbers or strings"},
		{"stats", "[]", "stats: expected an object"},
		{"losses", "{\"a\":1}", "losses.a: expected an object"},
		{"losses", "{\"a\":{\"count\":-1}}", "losses.a.count: expected a whole number"},
		{"suppressed", "0.5", "suppressed: expected a whole number"},
		{"settings", "{}", "settings: expected a list"},
		{"settings", "[7]", "settings: expected a list of objects"},
		{"settings", "[]", "witness.settings: expected the number of settings"},
	};

	(void)state;
	for (size_t i = 0; i < PD_LEN(bad); i++) {
		struct sample s;
		struct pd_arena a;
		struct pd_result back;
		struct pd_error e;
		json_t *j;
		char *text;

		sample_init(&s);
		j = parsed(&s.r);
		if (bad[i].value)
			json_object_set_new(j, bad[i].key,
					    json_loads(bad[i].value, JSON_DECODE_ANY, NULL));
		else
			json_object_del(j, bad[i].key);
		text = json_dumps(j, 0);
		pd_arena_init(&a, pd_host_memory());
		assert_false(pd_result_parse(&back, &a, text, strlen(text), "x.json", &e));
		if (!strstr(e.text, bad[i].says))
			fail_msg("%s: got '%s'", bad[i].says, e.text);
		assert_non_null(strstr(e.text, "'x.json'"));
		assert_int_equal(e.status, PD_EXIT_USAGE);
		free(text);
		json_decref(j);
		pd_arena_finish(&a);
		sample_finish(&s);
	}
}

/* A result of before schedules had names has their numbers. */
static void a_schedule_by_its_number(void **state)
{
	static const char *const witness[] = {
		"{\"choices\":\"c1\",\"execution\":4505798650626065}",
		"{\"choices\":\"c1\",\"schedule\":{\"policy\":\"late\",\"seed\":17,\"nth\":2}}",
	};

	(void)state;
	for (size_t i = 0; i < PD_LEN(witness); i++) {
		const struct pd_schedule *schedule;
		struct pd_result back;
		struct pd_arena a;
		struct pd_error e;
		struct sample s;
		char *text;
		json_t *j;

		sample_init(&s);
		j = parsed(&s.r);
		json_object_set_new(json_array_get(json_object_get(j, "findings"), 0), "witness",
				    json_loads(witness[i], 0, NULL));
		text = json_dumps(j, 0);
		pd_arena_init(&a, pd_host_memory());
		assert_true(pd_result_parse(&back, &a, text, strlen(text), "x.json", &e));
		schedule = &back.findings.items.v[0]->witness.schedule;
		assert_int_equal(schedule->policy, PD_POLICY_LATE);
		assert_int_equal(schedule->seed, 17);
		assert_int_equal(schedule->nth, 2);
		free(text);
		json_decref(j);
		pd_arena_finish(&a);
		sample_finish(&s);
	}
}

static void finding_errors(void **state)
{
	static const struct bad bad[] = {
		{"kind", "\"lint/new\"",
		 "findings[0].kind: expected a kind that this version knows"},
		{"id", "\"xyz\"", "findings[0].id: expected ten hex digits"},
		{"cause", "\"bad luck\"", "findings[0].cause: expected a cause"},
		{"confirmed", NULL, "findings[0].confirmed: expected a value"},
		{"count", "-3", "findings[0].count: expected a whole number"},
		{"sites", "[{\"role\":\"who\"}]", "findings[0].sites[0].role: expected a role"},
		{"sites", "[{\"role\":\"load\",\"line\":99999999999}]", "sites[0].line: expected"},
		{"sites", "[{\"role\":\"load\",\"stack\":[1]}]", "sites[0]: expected an object"},
		{"witness", "\"c1\"", "findings[0].witness: expected an object"},
		{"witness", "{\"choices\":\"c1 q\"}",
		 "witness.choices: expected one of the letters"},
		{"witness", "{\"choices\":\"c1\",\"schedule\":7}",
		 "witness.schedule: expected an object"},
		{"witness", "{\"choices\":\"c1\",\"schedule\":{}}", "policy: expected a value"},
		{"witness", "{\"choices\":\"c1\",\"schedule\":{\"policy\":\"fair\"}}",
		 "witness.schedule: expected a schedule that this version knows"},
		{"witness",
		 "{\"choices\":\"c1\",\"schedule\":{\"policy\":\"pct\",\"seed\":3,\"depth\":9}}",
		 "witness.schedule: expected a schedule that this version knows"},
		{"witness",
		 "{\"choices\":\"c7 "
		 "v1\",\"crashes\":[{\"point\":7,\"before\":\"x\",\"reads\":[]}]}",
		 "witness.crashes: expected what `choices` says"},
		{"witness", "{\"choices\":\"c7\",\"crashes\":[{\"point\":6,\"before\":\"x\"}]}",
		 "witness.crashes: expected what `choices` says"},
		{"witness",
		 "{\"choices\":\"c7\",\"crashes\":[{\"point\":7,\"before\":\"x\",\"line\":-1}]}",
		 "line: expected"},
		{"witness", "{\"choices\":\"c7\",\"crashes\":{}}", "crashes: expected a list"},
		{"witness", "{\"choices\":\"\",\"crashes\":[{\"point\":7,\"before\":\"x\"}]}",
		 "witness.crashes: expected what `choices` says"},
		{"facts", "[]", "facts: expected an object"},
		{"facts", "{\"size\":-1}", "facts: expected a whole number"},
		{"facts", "{\"fix\":\"pray\"}", "facts: expected a word that this version knows"},
		{"facts", "{\"unflushed\":1}", "facts: expected true or false"},
		{"facts", "{\"address\":{\"offset\":1}}", "facts: expected an object with file"},
		{"facts", "{\"lost\":{}}", "facts: expected a list"},
		{"story", "{}", "story: expected a list of steps"},
		{"story", "[7]", "story: expected a list of steps that this version knows"},
		{"story", "[{\"step\":\"jump\"}]", "story: expected a list of steps that this"},
		{"story", "[{\"step\":\"event\",\"event\":\"x\"}]",
		 "whose events this version knows"},
		{"story", "[{\"step\":\"event\",\"size\":-1}]", "whose numbers are whole"},
		{"story", "[{\"step\":\"event\",\"thread\":4294967296}]",
		 "whose numbers are whole"},
		{"story", "[{\"step\":\"event\",\"value\":\"5\"}]", "whose values are such as"},
		{"story", "[{\"step\":\"event\",\"at\":1}]", "whose places are objects"},
		{"story", "[{\"step\":\"end\"}]", "whose kinds this version knows"},
		{"story", "[{\"step\":\"end\",\"kind\":\"crash/recovery-signal\",\"facts\":7}]",
		 "story: expected an object"},
		{"facts", "{\"lost\":[{\"seen\":\"5\"}]}", "facts: expected a string such as"},
	};

	(void)state;
	for (size_t i = 0; i < PD_LEN(bad); i++) {
		struct sample s;
		struct pd_arena a;
		struct pd_result back;
		struct pd_error e;
		json_t *j, *f;
		char *text;

		sample_init(&s);
		j = parsed(&s.r);
		f = json_array_get(json_object_get(j, "findings"), 0);
		if (bad[i].value)
			json_object_set_new(f, bad[i].key,
					    json_loads(bad[i].value, JSON_DECODE_ANY, NULL));
		else
			json_object_del(f, bad[i].key);
		text = json_dumps(j, 0);
		pd_arena_init(&a, pd_host_memory());
		assert_false(pd_result_parse(&back, &a, text, strlen(text), "x.json", &e));
		if (!strstr(e.text, bad[i].says))
			fail_msg("%s: got '%s'", bad[i].says, e.text);
		free(text);
		json_decref(j);
		pd_arena_finish(&a);
		sample_finish(&s);
	}
}

/* Every prefix of a good file, and every file with one byte changed, is read or refused in one
 * line. */
static void broken_files(void **state)
{
	struct sample s;
	struct pd_arena a;
	struct pd_result back;
	struct pd_error e;
	size_t n;
	char *text;

	(void)state;
	sample_init(&s);
	text = written(&s.r, pd_report_json, &n);
	pd_arena_init(&a, pd_host_memory());
	for (size_t i = 0; i + 2 < n; i++) {
		assert_false(pd_result_parse(&back, &a, text, i, "x", &e));
		assert_null(strchr(e.text, '\n'));
		pd_arena_reset(&a);
	}
	for (size_t i = 0; i < n; i++) {
		char was = text[i];

		text[i] = (char)(was ^ (1 << i % 7));
		if (!pd_result_parse(&back, &a, text, n, "x", &e))
			assert_true(strlen(e.text) > 10 && !strchr(e.text, '\n'));
		text[i] = was;
		pd_arena_reset(&a);
	}
	free(text);
	pd_arena_finish(&a);
	sample_finish(&s);
}

static void lack_of_memory(void **state)
{
	struct sample s;
	size_t n;
	char *text;

	(void)state;
	sample_init(&s);
	text = written(&s.r, pd_report_json, &n);
	for (size_t room = 16; room < 16000; room += 16) {
		struct unit_host h = {.left = 1};
		struct pd_arena a;
		struct pd_result back;
		struct pd_error e;

		pd_arena_init(&a, unit_host(&h));
		pd_arena_alloc(&a, 1);
		while ((size_t)(a.end - a.cur) > room)
			pd_arena_alloc(&a, 1);
		if (!pd_result_parse(&back, &a, text, n, "x", &e)) {
			assert_int_equal(e.status, PD_EXIT_INTERNAL);
			assert_non_null(strstr(e.text, "memory"));
		} else {
			assert_int_equal(back.findings.items.n, 2);
			assert_int_equal(back.stats.n, 3);
			assert_int_equal(back.limits.n, 1);
		}
		pd_arena_finish(&a);
	}
	free(text);
	sample_finish(&s);
}

static long json_left = -1; /* requests until one fails */

static void *failing_malloc(size_t n)
{
	return json_left == 0 || json_left-- == 0 ? NULL : malloc(n);
}

/* Each request of jansson fails once: a file that is called written is the whole file. */
static void writers_lack_memory(void **state)
{
	static pd_report_writer *const writers[] = {pd_report_json, pd_report_sarif};
	struct sample s;

	(void)state;
	sample_init(&s);
	for (size_t w = 0; w < PD_LEN(writers); w++) {
		size_t n, m;
		char *whole = written(&s.r, writers[w], &n);
		bool ok = false;

		json_set_alloc_funcs(failing_malloc, free);
		for (long at = 0; !ok; at++) {
			char *text = NULL;
			FILE *f = open_memstream(&text, &m);

			assert_true(at < 5000);
			json_left = at;
			ok = writers[w](&s.r, f);
			fclose(f);
			if (ok)
				assert_string_equal(text, whole);
			free(text);
		}
		json_set_alloc_funcs(malloc, free);
		free(whole);
	}
	sample_finish(&s);
}

/* jansson takes some of its own lacks for syntax errors, so only the refusal can be asked for. */
static void reader_lacks_memory(void **state)
{
	struct pd_result back;
	struct pd_error e;
	struct sample s;
	bool ok = false;
	size_t n;
	char *text;

	(void)state;
	sample_init(&s);
	text = written(&s.r, pd_report_json, &n);
	json_set_alloc_funcs(failing_malloc, free);
	for (long at = 0; !ok; at++) {
		assert_true(at < 5000);
		json_left = at;
		ok = pd_result_parse(&back, &s.a, text, n, "x", &e);
		assert_true(ok || (strlen(e.text) > 10 && !strchr(e.text, '\n')));
	}
	json_set_alloc_funcs(malloc, free);
	assert_int_equal(back.findings.items.n, 2);
	free(text);
	sample_finish(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schema),
		cmocka_unit_test(facts),
		cmocka_unit_test(story),
		cmocka_unit_test(coverage),
		cmocka_unit_test(round_trip),
		cmocka_unit_test(settings_stay_at_home),
		cmocka_unit_test(settings_come_back),
		cmocka_unit_test(id_can_be_computed_again),
		cmocka_unit_test(utf8),
		cmocka_unit_test(top_level_errors),
		cmocka_unit_test(a_schedule_by_its_number),
		cmocka_unit_test(finding_errors),
		cmocka_unit_test(broken_files),
		cmocka_unit_test(lack_of_memory),
		cmocka_unit_test(writers_lack_memory),
		cmocka_unit_test(reader_lacks_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
