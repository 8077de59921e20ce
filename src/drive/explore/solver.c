/*
 * solver.c - see solver.h.
 *
 * `solver` of a query identifies its owner, from before it is TAKEN until it is ANSWERED. So
 * whatever a solver dies of, its pid shows which query it had. The answer overwrites the query,
 * which is never asked again after that.
 */
#include "drive/explore/solver.h"
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	AT_WORST = 16, /* solvers in a row that ended without any answer: start no more */
	CLAUSES = 4 << 20,
	AT_LIMIT = 3, /* exit status: a limit was exceeded, and that was answered */
};

/* Shared with the solvers. */
struct pd_solvers {
	struct pd_explore *board;
	uint32_t n;
	uint32_t in_vain; /* solvers in a row that ended without any answer */
	uint64_t max_bytes;
	struct pd_solvers_stats stats;
	pid_t pid[PD_EXPLORE_WORKERS]; /* 0: none */
};

/* The current work of a solver process, for its handlers. */
static struct {
	struct pd_solvers *all;
	struct pd_explore_query *query;
} self;

static void wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void count(uint64_t *n, uint64_t by)
{
	__atomic_fetch_add(n, by, __ATOMIC_RELAXED);
}

/* ---- answers -------------------------------------------------------------------------------- */

static void publish(struct pd_solvers *s, struct pd_explore_query *q,
		    const struct pd_solve_result *r)
{
	q->ns = r->ns;
	q->answer = r->answer;
	count(&s->stats.answers[r->answer], 1);
	if (r->answer == PD_ASK_UNKNOWN)
		count(&s->stats.unknown[r->why], 1);
	count(&s->stats.ns, r->ns);
	count(&s->stats.anew, r->anew);
	__atomic_store_n(&q->state, PD_QUERY_ANSWERED, __ATOMIC_SEQ_CST);
	wake(&q->state);
}

static void publish_unknown(struct pd_solvers *s, struct pd_explore_query *q, enum pd_solve_why why)
{
	struct pd_solve_result r = {.answer = PD_ASK_UNKNOWN, .why = why};

	publish(s, q, &r);
}

/* ---- a solver ------------------------------------------------------------------------------- */

static void out_of_memory(void)
{
	if (self.query)
		publish_unknown(self.all, self.query, PD_SOLVE_MEMORY);
	_exit(AT_LIMIT);
}

/* CaDiCaL has not checked the clock for very long. */
static void out_of_time(int sig)
{
	(void)sig;
	if (self.query)
		publish_unknown(self.all, self.query, PD_SOLVE_TIME);
	_exit(AT_LIMIT);
}

static void set_timer(uint64_t ms)
{
	struct itimerval t = {.it_value = {.tv_sec = (time_t)(ms / 1000),
					   .tv_usec = (suseconds_t)(ms % 1000 * 1000)}};

	setitimer(ITIMER_PROF, &t, NULL);
}

static bool take(struct pd_explore_query *q)
{
	uint32_t none = 0;

	if (__atomic_load_n(&q->state, __ATOMIC_ACQUIRE) != PD_QUERY_ASKED ||
	    !__atomic_compare_exchange_n(&q->solver, &none, (uint32_t)getpid(), false,
					 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return false;
	__atomic_store_n(&q->state, PD_QUERY_TAKEN, __ATOMIC_SEQ_CST);
	return true;
}

static void answer(struct pd_solvers *s, struct pd_solve *solve, struct pd_explore_query *q)
{
	static uint8_t bytes[PD_EXPLORE_QUERY];
	struct pd_solve_limits limits = {s->board->query_ms, CLAUSES, &s->board->stop};
	struct pd_solve_result r;
	uint64_t most;

	self.query = q;
	if (limits.ms)
		set_timer(2 * limits.ms + 1000);
	r = pd_solve(solve, limits, q->bytes, q->n <= PD_EXPLORE_QUERY ? q->n : 0, bytes,
		     sizeof(bytes));
	set_timer(0);
	self.query = NULL;
	most = __atomic_load_n(&s->stats.most_ns, __ATOMIC_RELAXED);
	if (r.ns > most)
		__atomic_store_n(&s->stats.most_ns, r.ns, __ATOMIC_RELAXED);
	__atomic_store_n(&s->in_vain, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&q->tries, 1, __ATOMIC_SEQ_CST); /* it is a query no longer */
	if (r.answer == PD_ASK_YES)
		memcpy(q->bytes, bytes, r.n);
	q->n = r.n;
	publish(s, q, &r);
}

/* One pass over all workers, beginning with this solver's; returns whether there was any query. */
static bool answer_all(struct pd_solvers *s, struct pd_solve *solve, uint32_t number)
{
	uint32_t jobs = s->board->jobs;
	bool any = false;

	for (uint32_t i = 0; i < jobs; i++) {
		struct pd_explore_query *q = &s->board->worker[(number + i) % jobs].query;

		if (take(q)) {
			answer(s, solve, q);
			any = true;
		}
	}
	return any;
}

static _Noreturn void be_solver(struct pd_solvers *s, uint32_t number)
{
	uint32_t *event = &s->board->solver_event;
	struct pd_solve *solve;

	closefrom(STDERR_FILENO + 1);
	self.all = s;
	if (s->max_bytes && !pd_solve_memory(s->max_bytes, out_of_memory))
		_exit(AT_LIMIT);
	solve = pd_solve_create(s->board->input_size);
	if (!solve)
		_exit(AT_LIMIT);
	for (;;) {
		uint32_t seen = __atomic_load_n(event, __ATOMIC_SEQ_CST);

		if (!answer_all(s, solve, number))
			syscall(SYS_futex, event, FUTEX_WAIT, seen, NULL, NULL, 0);
	}
}

/* ---- the tool's side ------------------------------------------------------------------------ */

static void reset_signals(void)
{
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	signal(SIGINT, SIG_IGN); /* perdure ends it */
	signal(SIGTERM, SIG_IGN);
	signal(SIGPROF, out_of_time);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool start_one(struct pd_solvers *s, uint32_t number)
{
	pid_t tool = getpid(), pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != tool)
			_exit(0);
		reset_signals();
		be_solver(s, number);
	}
	s->pid[number] = pid > 0 ? pid : 0;
	s->stats.started += pid > 0;
	s->stats.given_up += pid < 0;
	return pid > 0;
}

struct pd_solvers *pd_solvers_start(struct pd_explore *board, uint32_t n, uint64_t max_bytes)
{
	struct pd_solvers *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool any = false;

	if (s == MAP_FAILED)
		return NULL;
	s->board = board;
	s->n = n < PD_EXPLORE_WORKERS ? n : PD_EXPLORE_WORKERS;
	s->max_bytes = max_bytes;
	for (uint32_t i = 0; i < s->n; i++)
		any |= start_one(s, i);
	if (any)
		return s;
	munmap(s, sizeof(*s));
	return NULL;
}

/* The query of a solver that died: another one tries, once. */
static void settle(struct pd_solvers *s, struct pd_explore_query *q, pid_t pid)
{
	uint32_t state = __atomic_load_n(&q->state, __ATOMIC_SEQ_CST);

	if ((state != PD_QUERY_ASKED && state != PD_QUERY_TAKEN) || q->solver != (uint32_t)pid)
		return;
	if (q->tries++) {
		publish_unknown(s, q, PD_SOLVE_DIED);
		return;
	}
	__atomic_store_n(&q->state, PD_QUERY_ASKED, __ATOMIC_SEQ_CST);
	__atomic_store_n(&q->solver, 0, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&s->board->solver_event, 1, __ATOMIC_SEQ_CST);
	wake(&s->board->solver_event);
}

static bool any_left(const struct pd_solvers *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->pid[i])
			return true;
	}
	return false;
}

/* Nobody will answer these queries. */
static void answer_none(struct pd_solvers *s, enum pd_solve_why why)
{
	for (uint32_t i = 0; i < s->board->jobs; i++) {
		struct pd_explore_query *q = &s->board->worker[i].query;
		uint32_t state = __atomic_load_n(&q->state, __ATOMIC_SEQ_CST);

		if (state == PD_QUERY_ASKED || state == PD_QUERY_TAKEN)
			publish_unknown(s, q, why);
	}
}

void pd_solvers_poll(struct pd_solvers *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		int status;

		if (!s->pid[i] || waitpid(s->pid[i], &status, WNOHANG) != s->pid[i])
			continue;
		s->stats.died += !(WIFEXITED(status) && WEXITSTATUS(status) == AT_LIMIT);
		for (uint32_t k = 0; k < s->board->jobs; k++)
			settle(s, &s->board->worker[k].query, s->pid[i]);
		s->pid[i] = 0;
		if (__atomic_add_fetch(&s->in_vain, 1, __ATOMIC_RELAXED) > AT_WORST)
			s->stats.given_up++;
		else
			start_one(s, i);
	}
	if (!any_left(s))
		answer_none(s, PD_SOLVE_DIED);
}

struct pd_solvers_stats pd_solvers_stats(const struct pd_solvers *s)
{
	return s->stats;
}

struct pd_solvers_stats pd_solvers_stop(struct pd_solvers *s)
{
	struct pd_solvers_stats stats;

	for (uint32_t i = 0; i < s->n; i++) {
		if (s->pid[i]) {
			kill(s->pid[i], SIGKILL);
			while (waitpid(s->pid[i], NULL, 0) < 0 && errno == EINTR)
				continue;
		}
		s->pid[i] = 0;
	}
	answer_none(s, PD_SOLVE_STOP);
	stats = s->stats;
	munmap(s, sizeof(*s));
	return stats;
}
