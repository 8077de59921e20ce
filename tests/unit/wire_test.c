/* wire_test.c - what engines tell, over the wire and back; bytes that are none. */
#include "unit/unit.h"
#include "finding/wire.h"

struct fixture {
	struct unit_host h;
	struct pd_arena a;
	struct pd_trace_writer writer;
	struct pd_wire_writer wire;
	uint8_t bytes[1 << 16];
	size_t n;
	uint32_t asked; /* for frames */
	uint32_t sites;
};

static void collect(void *ctx, const char *s, size_t n)
{
	struct fixture *x = ctx;

	assert_true(x->n + n <= sizeof(x->bytes));
	memcpy(x->bytes + x->n, s, n);
	x->n += n;
}

static uint32_t frames(void *ctx, uint32_t place, struct pd_wire_frame *to, uint32_t max)
{
	struct fixture *x = ctx;

	assert_true(max >= 3);
	x->asked++;
	to[0] = (struct pd_wire_frame){.how = PD_WIRE_SITE, .site = place + 100};
	to[1] = (struct pd_wire_frame){.how = PD_WIRE_PC, .pc = 0x7fff12345678};
	to[2] = (struct pd_wire_frame){.how = PD_WIRE_TEXT,
				       .at = {.file = "a.c", .function = "main", .line = 7},
				       .inlined = true};
	return 3;
}

static void site(void *ctx, uint32_t id)
{
	struct fixture *x = ctx;

	assert_int_equal(id, 105);
	x->sites++;
}

static void set_up(struct fixture *x)
{
	memset(x, 0, sizeof(*x));
	x->h.left = -1;
	pd_arena_init(&x->a, unit_host(&x->h));
	pd_trace_init(&x->writer, (struct pd_out){collect, x});
	pd_wire_writer_init(&x->wire, &x->writer, &x->a, (struct pd_wire_source){frames, site, x});
}

/* The next wire record of what was collected; the trace's header is passed over. */
static bool next(struct fixture *x, struct pd_trace_reader *r, size_t *at, struct pd_wire_record *w)
{
	struct pd_trace_record rec;

	while (*at < x->n) {
		long k = pd_trace_read(r, x->bytes + *at, x->n - *at, &rec);

		assert_true(k > 0);
		*at += (size_t)k;
		if (rec.tag != PD_TRACE_WIRE)
			continue;
		assert_true(pd_wire_read(&x->a, rec.text, rec.text_n, w));
		return true;
	}
	return false;
}

static void report_one(struct fixture *x, uint64_t count)
{
	const struct pd_fact facts[] = {{.key = PD_FACT_ADDRESS, .number = 0x1004},
					{.key = PD_FACT_FIX, .number = PD_WORD_FIX_LOG}};
	struct pd_raw_finding f = {.number = 3,
				   .kind = PD_KIND_LINT_MISSING_FLUSH,
				   .count = count,
				   .of = 77,
				   .nsites = 2,
				   .site = {{PD_ROLE_STORE, 5}, {PD_ROLE_FENCE, 0}},
				   .facts = {PD_LEN(facts), facts},
				   .weight = 1ULL << 40};

	x->wire.sink.finding(x->wire.sink.ctx, &f);
}

static void comes_back_as_sent(void **state)
{
	static struct fixture x;
	struct pd_trace_reader r = {0};
	struct pd_wire_record w;
	size_t at = 0;

	(void)state;
	set_up(&x);
	report_one(&x, 1);
	report_one(&x, 9);
	x.wire.sink.stat(x.wire.sink.ctx, "stores", 12);
	x.wire.sink.times(x.wire.sink.ctx, 5, 1000, true);
	pd_wire_module(&x.wire, &(struct pd_wire_module){.base = 1, .high = 3, .path = "/lib/x"});
	pd_wire_end(&x.wire);
	/* A place is asked for and defined once, before the finding that names it. */
	assert_int_equal(x.asked, 1);
	assert_int_equal(x.sites, 1);
	assert_true(next(&x, &r, &at, &w));
	assert_int_equal(w.what, PD_WIRE_PLACE);
	assert_int_equal(w.place, 5);
	assert_int_equal(w.nframes, 3);
	assert_int_equal(w.frames[0].site, 105);
	assert_true(w.frames[1].pc == 0x7fff12345678);
	assert_string_equal(w.frames[2].at.function, "main");
	assert_null(w.frames[2].object);
	assert_true(w.frames[2].inlined);
	assert_true(next(&x, &r, &at, &w));
	assert_int_equal(w.raw.count, 1);
	assert_true(next(&x, &r, &at, &w));
	assert_int_equal(w.what, PD_WIRE_FINDING);
	assert_int_equal(w.raw.number, 3);
	assert_int_equal(w.raw.kind, PD_KIND_LINT_MISSING_FLUSH);
	assert_int_equal(w.raw.count, 9);
	assert_int_equal(w.raw.of, 77);
	assert_true(w.raw.weight == 1ULL << 40);
	assert_int_equal(w.raw.site[1].role, PD_ROLE_FENCE);
	assert_int_equal(w.raw.facts.n, 2);
	assert_int_equal(pd_fact_number(&w.raw.facts, PD_FACT_ADDRESS), 0x1004);
	assert_int_equal(pd_fact_word(&w.raw.facts, PD_FACT_FIX), PD_WORD_FIX_LOG);
	assert_null(w.raw.field);
	assert_true(next(&x, &r, &at, &w));
	assert_string_equal(w.name, "stores");
	assert_int_equal(w.value, 12);
	assert_true(next(&x, &r, &at, &w));
	assert_int_equal(w.what, PD_WIRE_TIMES);
	assert_int_equal(w.place, 5);
	assert_int_equal(w.value, 1000);
	assert_int_equal(w.times, PD_TIMES_FENCE);
	assert_true(next(&x, &r, &at, &w));
	assert_string_equal(w.module.path, "/lib/x");
	assert_true(next(&x, &r, &at, &w));
	assert_int_equal(w.what, PD_WIRE_END);
	assert_false(next(&x, &r, &at, &w));
	pd_arena_finish(&x.a);
}

/* Every cut and every flipped bit of a record is refused or understood as another; never worse. */
static void bad_bytes_do_no_harm(void **state)
{
	static struct fixture x;
	struct pd_wire_record w;
	uint8_t copy[512];
	uint32_t n, refused = 0;

	(void)state;
	set_up(&x);
	report_one(&x, 1);
	n = x.wire.out.n;
	assert_true(n < sizeof(copy));
	for (uint32_t cut = 0; cut < n; cut++)
		assert_false(pd_wire_read(&x.a, x.wire.buf, cut, &w));
	for (uint32_t bit = 0; bit < 8 * n; bit++) {
		uint8_t *exact;

		memcpy(copy, x.wire.buf, n);
		copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
		exact = malloc(n); /* so that a sanitizer sees a read beyond */
		memcpy(exact, copy, n);
		refused += !pd_wire_read(&x.a, exact, n, &w);
		free(exact);
	}
	assert_true(refused > 0);
	pd_arena_finish(&x.a);
}

static void a_long_text_is_cut(void **state)
{
	static struct fixture x;
	static char text[50000];
	struct pd_trace_reader r = {0};
	struct pd_raw_finding f = {.field = text};
	struct pd_wire_record w;
	size_t at = 0;

	(void)state;
	set_up(&x);
	memset(text, 'x', sizeof(text) - 1);
	x.wire.sink.finding(x.wire.sink.ctx, &f);
	assert_true(next(&x, &r, &at, &w));
	assert_int_equal(strlen(w.raw.field), 4096);
	pd_arena_finish(&x.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back_as_sent),
		cmocka_unit_test(bad_bytes_do_no_harm),
		cmocka_unit_test(a_long_text_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
