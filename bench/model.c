/*
 * model.c - what the model costs: time per event, memory per logged store, and how both grow.
 *
 * Every figure is the least of several runs in one process; growth is a ratio of two figures of the
 * same run, so that a noisy machine does not matter. Prints a table and compares with the limits;
 * exits with 1 where one is exceeded.
 */
#include "bench.h"
#include "host/host.h"
#include "model/model.h"
#include <stdio.h>
#include <stdlib.h>

enum {
	RUNS = 5,
	MEM = 64 << 20,
};

struct world {
	struct pd_arena arena;
	struct pd_model model;
	uint8_t *mem;
};

static uint8_t *memory;

static void begin(struct world *w)
{
	pd_arena_init(&w->arena, pd_host_memory());
	w->mem = memory;
	pd_model_init(&w->model, &w->arena, PD_PARAMS_ADR, w->mem, false);
}

static void end(struct world *w)
{
	if (pd_model_failed(&w->model)) {
		fputs("bench: out of memory\n", stderr);
		exit(4);
	}
	pd_model_finish(&w->model);
	pd_arena_finish(&w->arena);
}

static void store(struct world *w, uint64_t addr, uint64_t v)
{
	pd_model_store(&w->model, 0, addr, &v, 8, 1, 0);
}

/* A persistent structure's usual life: fill a node, flush it, fence; nodes at random places. */
static double node_updates(uint32_t nodes, double *per_load)
{
	enum { N = 200000 };
	double best = 1e9;

	*per_load = 1e9;
	for (int r = 0; r < RUNS; r++) {
		struct world w;
		uint64_t x = 88172645463325252ULL, sum = 0;
		double t;

		begin(&w);
		t = bench_now();
		for (int i = 0; i < N; i++) {
			uint64_t node = (bench_random(&x) % nodes) * 256;

			for (int k = 0; k < 4; k++)
				store(&w, node + 8 * (uint64_t)k, x + (uint64_t)k);
			pd_model_flush(&w.model, 0, node, PD_FLUSH_CLWB);
			pd_model_sfence(&w.model, 0);
		}
		best = PD_MIN(best, (bench_now() - t) / (4.0 * N));
		t = bench_now();
		for (int i = 0; i < 4 * N; i++) {
			uint64_t v;

			pd_model_load(&w.model, 0, (bench_random(&x) % nodes) * 256, &v, 8, NULL);
			sum += v;
		}
		*per_load = PD_MIN(*per_load, (bench_now() - t) / (4.0 * N));
		bench_keep(sum);
		end(&w);
	}
	return best;
}

/* Fence time with n lines pending, per line. */
static double fence_per_line(int n)
{
	double best = 1e9;

	for (int r = 0; r < RUNS; r++) {
		struct world w;
		double t;

		begin(&w);
		for (int i = 0; i < n; i++) {
			store(&w, 64 * (uint64_t)i, 1);
			pd_model_flush(&w.model, 0, 64 * (uint64_t)i, PD_FLUSH_CLWB);
		}
		t = bench_now();
		pd_model_sfence(&w.model, 0);
		best = PD_MIN(best, (bench_now() - t) / n);
		end(&w);
	}
	return best;
}

/* An empty fence while other data is dirty and unflushed: must not depend on how much. */
static double fence_beside(int dirty)
{
	enum { N = 10000 };
	double best = 1e9;

	for (int r = 0; r < RUNS; r++) {
		struct world w;
		double t;

		begin(&w);
		for (int i = 0; i < dirty; i++)
			store(&w, 4096 + 64 * (uint64_t)i, 1);
		t = bench_now();
		for (int i = 0; i < N; i++) {
			store(&w, 0, (uint64_t)i);
			pd_model_flush(&w.model, 0, 0, PD_FLUSH_CLWB);
			pd_model_sfence(&w.model, 0);
		}
		best = PD_MIN(best, (bench_now() - t) / N);
		end(&w);
	}
	return best;
}

/* Stores to one line without any flush: the first and the last tenth of a million. */
static void one_line(double *first, double *last)
{
	enum { N = 1000000 };

	*first = *last = 1e9;
	for (int r = 0; r < RUNS; r++) {
		struct world w;
		double t;

		begin(&w);
		for (int part = 0; part < 10; part++) {
			t = bench_now();
			for (int i = 0; i < N / 10; i++)
				store(&w, 8 * (uint64_t)(i & 7), (uint64_t)i);
			t = (bench_now() - t) / (N / 10);
			if (part == 0)
				*first = PD_MIN(*first, t);
			if (part == 9)
				*last = PD_MIN(*last, t);
		}
		end(&w);
	}
}

static double bytes_a_store(uint64_t lines, uint64_t stores_a_line)
{
	struct world w;
	double bytes;

	begin(&w);
	for (uint64_t k = 0; k < stores_a_line; k++)
		for (uint64_t i = 0; i < lines; i++)
			store(&w, 64 * i + 8 * (k & 7), k);
	bytes = (double)w.arena.used / (double)(lines * stores_a_line);
	end(&w);
	return bytes;
}

/* A recovery load of a line with n open stores, per store: the split is linear. */
static double split_per_store(int n)
{
	double best = 1e9;

	for (int r = 0; r < RUNS; r++) {
		struct world w;
		struct pd_chooser first = bench_chooser();
		double t;
		uint64_t v;

		begin(&w);
		for (int i = 0; i < n; i++)
			store(&w, 8 * (uint64_t)(i & 7), (uint64_t)i);
		pd_model_crash(&w.model);
		t = bench_now();
		pd_model_load(&w.model, 0, 0, &v, 8, &first);
		best = PD_MIN(best, (bench_now() - t) / n);
		end(&w);
	}
	return best;
}

int main(void)
{
	double load, st, far_load, far, first, last, few, many, alone, beside, small, large;

	memory = aligned_alloc(4096, MEM);
	memset(memory, 0, MEM);
	st = node_updates(1 << 10, &load);
	far = node_updates(1 << 15, &far_load);
	few = fence_per_line(100);
	many = fence_per_line(100000);
	alone = fence_beside(10);
	beside = fence_beside(200000);
	one_line(&first, &last);
	small = split_per_store(1000);
	large = split_per_store(100000);

	bench_ns("store with its share of clwb+sfence, 1,024 nodes", st, 100e-9);
	bench_ns("load, 1,024 nodes", load, 50e-9);
	bench_ns("store with its share, 32,768 nodes (cache misses)", far, 0);
	bench_ns("load, 32,768 nodes", far_load, 50e-9);
	bench_ns("sfence, per pending line (100 pending)", few, 0);
	bench_ns("sfence, per pending line (100,000 pending)", many, 0);
	bench_ratio("  growth of the fence per line", many, few, 8);
	bench_ratio("store+clwb+sfence beside 200,000 unflushed lines : 10", beside, alone, 2);
	bench_ns("store to one line, first 100,000 of a million", first, 100e-9);
	bench_ns("store to one line, last 100,000 of a million", last, 100e-9);
	bench_ratio("  growth", last, first, 1.5);
	bench_number("bytes a logged store, 1,000 a line", bytes_a_store(1000, 1000), 32, "B");
	bench_number("bytes a logged store, 64 a line", bytes_a_store(16000, 64), 32, "B");
	bench_number("bytes a logged store, 8 a line", bytes_a_store(100000, 8), 0, "B");
	bench_ns("recovery load, per open store of its line (1,000)", small, 0);
	bench_ns("recovery load, per open store of its line (100,000)", large, 0);
	bench_ratio("  growth", large, small, 4);
	return bench_verdict();
}
