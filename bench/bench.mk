# Benchmarks; bench/README.md says what each is good and bad at.

$B/bench/model: bench/model.c bench/bench.h $B/host/host/host.o $B/core.a | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -D_GNU_SOURCE -Ibench -MMD -MP -o $@ $< $B/host/host/host.o $B/core.a -lm

.PHONY: bench-model
bench-model: $B/bench/model
	@echo '== the model'
	@$<

bench: bench-model

$B/bench/driven: bench/driven.c $(UNIT_LIBS) | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -D_GNU_SOURCE -MMD -MP -o $@ $< $(LINK_UNIT) $(HOST_LIBS)

.PHONY: bench-runtime
bench-runtime: all $B/bench/driven
	@echo '== instrumented programs'
	@bench/runtime.sh $B

bench: bench-runtime

.PHONY: bench-check
bench-check: all
	@echo '== perdure check, growing structures'
	@bench/structures.sh $B

bench: bench-check

.PHONY: bench-start
bench-start: all
	@echo '== start'
	@bench/start.sh $B

bench: bench-start

.PHONY: bench-first
bench-first: all
	@echo '== perdure check, its first execution'
	@bench/first.sh $B

bench: bench-first

.PHONY: bench-watch
bench-watch: all
	@echo '== perdure lint on ordinary programs'
	@bench/watch.pl $B

bench: bench-watch

.PHONY: bench-lockset
bench-lockset: all
	@echo '== perdure lockset, growing runs'
	@bench/lockset.sh $B

bench: bench-lockset

.PHONY: bench-torn
bench-torn: all
	@echo '== torn stores in perdure check'
	@bench/torn.sh $B

bench: bench-torn

$B/bench/linear_judge: bench/linear_judge.c bench/bench.h $B/host/host/host.o $B/core.a | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -D_GNU_SOURCE -Ibench -MMD -MP -o $@ $< $B/host/host/host.o $B/core.a -lm

.PHONY: bench-judge
bench-judge: $B/bench/linear_judge
	@echo '== the judge of histories'
	@$<

bench: bench-judge

.PHONY: bench-linear
bench-linear: all
	@echo '== perdure linear, growing workloads'
	@bench/linear.sh $B

bench: bench-linear

$B/bench/explore_core: bench/explore_core.c bench/bench.h $B/host/host/host.o $B/core.a | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -D_GNU_SOURCE -Ibench -MMD -MP -o $@ $< $B/host/host/host.o $B/core.a -lm

.PHONY: bench-explore-core
bench-explore-core: $B/bench/explore_core
	@echo '== the core of symbolic execution'
	@$<

bench: bench-explore-core

.PHONY: bench-explore
bench-explore: all
	@echo '== perdure explore: paths'
	@bench/explore.sh $B

bench: bench-explore

.PHONY: bench-search
bench-search: all
	@echo '== perdure explore: orders of search'
	@bench/search.sh $B

bench: bench-search

$B/bench/solver: bench/solver.c $(UNIT_LIBS) | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -D_GNU_SOURCE -MMD -MP -o $@ $< $(LINK_UNIT) $(HOST_LIBS)

.PHONY: bench-solver
bench-solver: $B/bench/solver
	@echo '== questions to the solver of perdure explore'
	@bench/solver.pl $B

bench: bench-solver

.PHONY: bench-points
bench-points: all
	@echo '== likely linearization points'
	@bench/linear_points.sh $B
