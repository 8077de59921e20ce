/*
 * identity.c - what identifies a finding in another run. See failure.h.
 *
 * The lost stores identify it; which reads miss them, and how recovery then fails, may depend on
 * what was executed. Where nothing was lost, the last store and the place of the failure identify
 * it. These sites come first, and the id is made of them and of the cause; all others follow.
 */
#include "engine/crash/failure.h"
#include "finding/text.h"

enum pd_kind pd_run_kind(const struct pd_crash_run *run)
{
	static const enum pd_kind kinds[2][PD_OUTCOMES] = {
		{
			[PD_OUTCOME_SIGNAL] = PD_KIND_CRASH_SIGNAL,
			[PD_OUTCOME_ABORT] = PD_KIND_CRASH_ABORT,
			[PD_OUTCOME_EXIT] = PD_KIND_CRASH_EXIT,
			[PD_OUTCOME_HANG] = PD_KIND_CRASH_HANG,
			[PD_OUTCOME_DEADLOCK] = PD_KIND_CRASH_DEADLOCK,
			[PD_OUTCOME_CHECK] = PD_KIND_CRASH_CHECK,
		},
		{
			[PD_OUTCOME_SIGNAL] = PD_KIND_LINEAR_SIGNAL,
			[PD_OUTCOME_ABORT] = PD_KIND_LINEAR_ABORT,
			[PD_OUTCOME_EXIT] = PD_KIND_LINEAR_EXIT,
			[PD_OUTCOME_HANG] = PD_KIND_LINEAR_HANG,
			[PD_OUTCOME_DEADLOCK] = PD_KIND_LINEAR_DEADLOCK,
			[PD_OUTCOME_CHECK] = PD_KIND_LINEAR_CHECK,
		},
	};

	if (run->outcome == PD_OUTCOME_HISTORY)
		return (enum pd_kind)run->detail;
	return run->outcome >= PD_OUTCOME_SIGNAL && run->outcome <= PD_OUTCOME_CHECK
		       ? kinds[run->linear][run->outcome]
		       : PD_KIND_N;
}

/* ---- sites ---------------------------------------------------------------------------------- */

struct maker {
	const struct pd_explored *x;
	const struct pd_failure *f;
	struct pd_failure_sites *sites;
	struct pd_arena *arena;
};

/* Returns its number. */
static uint32_t add_site(struct maker *m, const struct pd_finding_site *s)
{
	struct pd_finding_site *to =
		pd_finding_site_known(s) ? pd_vec_push(&m->sites->all, m->arena) : NULL;

	if (!to)
		return PD_NO_SITE;
	*to = *s;
	return m->sites->all.n - 1;
}

static void add_check(struct maker *m)
{
	const struct pd_crash_run *run = m->f->run;
	const struct pd_finding_site *fail = &m->f->at_fail;
	/* Skip the frame of perdure.h's own function: its caller is what fails. */
	bool own = fail->nstack && pd_text_cmp(fail->at.function, "pd_check_at") == 0;

	add_site(m, &(struct pd_finding_site){
			    .role = PD_ROLE_CHECK,
			    .at = {.file = run->check_file,
				   .line = run->check_line,
				   .function = own ? fail->stack[0].function : fail->at.function},
			    .nstack = fail->nstack - own,
			    .stack = fail->stack + own});
}

static void add_end(struct maker *m)
{
	if (m->f->run->outcome == PD_OUTCOME_CHECK)
		add_check(m);
	else
		add_site(m, &m->f->at_fail);
}

/* The caller that the store is attributed to, if there is one. */
static void add_caller(struct maker *m, const struct pd_frame *own,
		       const struct pd_finding_site *store)
{
	if (own != &store->at)
		add_site(m, &(struct pd_finding_site){.role = PD_ROLE_CALLER, .at = *own});
}

/* What is to blame is a transaction. */
static bool is_of_transaction(const struct pd_failure *f)
{
	return f->cause == PD_CAUSE_UNLOGGED || f->cause == PD_CAUSE_OPEN_TX;
}

static void add_transaction(struct maker *m)
{
	const struct pd_failure *f = m->f;
	struct pd_finding_site begin = *pd_failure_transaction(f);

	for (uint32_t i = 0; i < f->nunlogged; i++)
		m->sites->unlogged[i] = add_site(m, pd_unlogged_store(f, i));
	begin.role = PD_ROLE_TX;
	m->sites->transaction = add_site(m, &begin);
}

static void add_identity(struct maker *m)
{
	const struct pd_failure *f = m->f;
	uint32_t number;

	if (is_of_transaction(f)) {
		add_transaction(m);
		return;
	}
	for (uint32_t i = 0; i < f->n; i++) {
		m->sites->store[i] = add_site(m, &f->blame[i].at_store);
		add_caller(m, pd_store_shown(m->x, &f->blame[i]), &f->blame[i].at_store);
	}
	if (f->n)
		return;
	if (f->cause == PD_CAUSE_STORE_BUFFER) { /* ordered by line: either thread may be first */
		int first = f->at_waited[0].at.line > f->at_waited[1].at.line;

		for (int i = 0; i < 2; i++)
			m->sites->waited[first ^ i] = add_site(m, &f->at_waited[first ^ i]);
		for (int i = 0; i < 2; i++)
			m->sites->passed[first ^ i] = add_site(m, &f->at_passed[first ^ i]);
		return;
	}
	number = add_site(m, &f->at_last);
	if (pd_finding_site_known(&f->at_early[0]) &&
	    pd_frame_same(&f->at_early[0].at, &f->at_last.at))
		m->sites->early[0] = number;
	add_caller(m, pd_last_store_frame(m->x, f), &f->at_last);
	add_end(m);
}

static void add_others(struct maker *m)
{
	const struct pd_failure *f = m->f;

	for (uint32_t i = 0; i < f->n && !is_of_transaction(f); i++)
		m->sites->load[i] = add_site(m, &f->blame[i].at_load);
	for (uint32_t i = 1; i < PD_LEN(f->at_early) && m->sites->early[0] != PD_NO_SITE; i++)
		m->sites->early[i] = add_site(m, &f->at_early[i]);
	if (f->cause == PD_CAUSE_ORDER)
		m->sites->reader = add_site(m, &f->at_reader);
	add_site(m, &f->at_crash);
	if (f->cause == PD_CAUSE_WRONG_TARGET)
		add_site(m, &f->at_idle);
	if (f->n || f->cause == PD_CAUSE_STORE_BUFFER ||
	    is_of_transaction(f)) /* else it is part of the identity */
		add_end(m);
	for (uint32_t i = 0; i < f->also.n; i++)
		add_site(m, &f->also.v[i]);
}

/* ---- the id --------------------------------------------------------------------------------- */

static void put_text(struct pd_digest *d, const char *s)
{
	if (s)
		pd_digest_bytes(d, s, pd_text_len(s));
}

static void put_frame(struct pd_digest *d, const struct pd_frame *f)
{
	pd_digest_u64(d, f->line);
	put_text(d, pd_text_base(f->file));
	put_text(d, f->function);
}

/*
 * Beside its identifying sites: the cause; and where nothing was lost the status or signal and the
 * calls that led to the failure, since many failures may share a function that only reports them.
 */
static uint64_t id_of(const struct pd_failure *f, const struct pd_finding *known)
{
	struct pd_digest d = PD_DIGEST_INIT;

	pd_digest_u64(&d, pd_finding_id(known));
	put_text(&d, pd_cause_info[f->cause].name);
	if (!f->n && !is_of_transaction(f)) {
		pd_digest_u64(&d, f->run->detail);
		for (uint32_t i = 0; i < f->at_fail.nstack; i++)
			put_frame(&d, &f->at_fail.stack[i]);
	}
	return d.a & PD_FINDING_ID_MAX ? d.a & PD_FINDING_ID_MAX : 1;
}

void pd_failure_sites(const struct pd_explored *x, const struct pd_failure *f,
		      struct pd_failure_sites *to, struct pd_arena *a)
{
	struct maker m = {x, f, to, a};

	*to = (struct pd_failure_sites){.store = pd_new_array(a, uint32_t, f->n + 1),
					.load = pd_new_array(a, uint32_t, f->n + 1)};
	for (uint32_t i = 0; i < PD_LEN(to->early); i++)
		to->early[i] = PD_NO_SITE;
	to->reader = PD_NO_SITE;
	if (!to->store || !to->load)
		return;
	add_identity(&m);
	to->identifying = to->all.n;
	add_others(&m);
}

void pd_failure_finding(const struct pd_explored *x, const struct pd_failure *f,
			struct pd_finding *to, struct pd_arena *a)
{
	struct pd_failure_sites sites;

	pd_failure_sites(x, f, &sites, a);
	*to = (struct pd_finding){.kind = pd_run_kind(f->run),
				  .facts = pd_failure_facts(x, f, &sites, a),
				  .sites = sites.all.v,
				  .nsites = sites.identifying,
				  .count = f->count};
	to->id = id_of(f, to);
	to->cause = f->cause;
	to->nsites = sites.all.n;
}
