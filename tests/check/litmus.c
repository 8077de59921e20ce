/*
 * litmus.c - runs a litmus file as a program: litmus run FILE POOL OUT, litmus image FILE POOL OUT
 *
 * Of docs/litmus.md: threads and their instructions, on variables of one word with a line each. `run` starts the
 * threads, and when they have ended adds the registers to OUT; `image` is its recovery and adds what it finds in
 * PM. Both in the form and order in which perdure litmus prints them.
 */
#include "real.h"
#include <ctype.h>
#include <fcntl.h>
#include <emmintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 4, STEPS = 16, VARIABLES = 8, REGISTERS = 8, LINE = 8 };

struct step {
	char op[12];
	int condition; /* register, -1: none */
	uint64_t equals;
	int reg, var, source; /* source: register that is stored, -1: value */
	uint64_t value, desired;
};

static struct step program[THREADS][STEPS];
static int nstep[THREADS], nthread;
static char names[VARIABLES][8];
static int nvar;
static uint64_t reg[REGISTERS];
static int shown[REGISTERS], nreg; /* in the order in which they come */
static uint64_t *pm;

static int variable(const char *name)
{
	int i = 0;

	while (i < nvar && strcmp(names[i], name) != 0)
		i++;
	if (i == nvar)
		snprintf(names[nvar++], sizeof(names[0]), "%s", name);
	return i;
}

static int is_register(const char *s)
{
	return s[0] == 'r' && isdigit((unsigned char)s[1]);
}

static int a_register(const char *s)
{
	int r = atoi(s + 1), i = 0;

	while (i < nreg && shown[i] != r)
		i++;
	if (i == nreg)
		shown[nreg++] = r;
	return r;
}

static void parse(char *text, struct step *s)
{
	char *word[8], *save = NULL;
	int n = 0, at = 0;

	for (char *w = strtok_r(text, " \t\n", &save); w && n < 8; w = strtok_r(NULL, " \t\n", &save))
		word[n++] = w;
	*s = (struct step){.condition = -1, .reg = -1, .var = -1, .source = -1};
	if (strcmp(word[0], "if") == 0) {
		s->condition = a_register(word[1]);
		s->equals = strtoull(strchr(word[1], '=') + 1, NULL, 0);
		at = 2;
	}
	snprintf(s->op, sizeof(s->op), "%s", word[at++]);
	for (int operand = 0; at < n; at++) {
		if (is_register(word[at]) && s->reg < 0 && strcmp(s->op, "st") != 0)
			s->reg = a_register(word[at]);
		else if (is_register(word[at]))
			s->source = a_register(word[at]);
		else if (isalpha((unsigned char)word[at][0]))
			s->var = variable(word[at]);
		else if (operand++ == 0)
			s->value = strtoull(word[at], NULL, 0);
		else
			s->desired = strtoull(word[at], NULL, 0);
	}
}

static void read_program(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[256];

	if (!f)
		exit(9);
	while (fgets(line, sizeof(line), f)) {
		char *save = NULL;

		if (line[0] != 'T')
			continue;
		for (char *s = strtok_r(strchr(line, ':') + 1, ";", &save); s; s = strtok_r(NULL, ";", &save))
			parse(s, &program[nthread][nstep[nthread]++]);
		nthread++;
	}
	fclose(f);
}

static void execute(const struct step *s)
{
	volatile uint64_t *p = s->var >= 0 ? pm + s->var * LINE : NULL;

	if (strcmp(s->op, "st") == 0)
		*p = s->source >= 0 ? reg[s->source] : s->value;
	else if (strcmp(s->op, "ld") == 0)
		reg[s->reg] = *p;
	else if (strcmp(s->op, "clwb") == 0)
		__asm__ volatile("clwb %0" : "+m"(*p));
	else if (strcmp(s->op, "clflushopt") == 0)
		__asm__ volatile("clflushopt %0" : "+m"(*p));
	else if (strcmp(s->op, "clflush") == 0)
		_mm_clflush((const void *)p);
	else if (strcmp(s->op, "sfence") == 0)
		_mm_sfence();
	else if (strcmp(s->op, "mfence") == 0)
		_mm_mfence();
	else if (strcmp(s->op, "xchg") == 0)
		reg[s->reg] = __atomic_exchange_n(p, s->value, __ATOMIC_SEQ_CST);
	else if (strcmp(s->op, "add") == 0)
		reg[s->reg] = __atomic_fetch_add(p, s->value, __ATOMIC_SEQ_CST);
	else
		exit(8);
}

static void *run(void *arg)
{
	int t = (int)(intptr_t)arg;

	for (int i = 0; i < nstep[t]; i++) {
		const struct step *s = &program[t][i];

		if (s->condition < 0 || reg[s->condition] == s->equals)
			execute(s);
	}
	return NULL;
}

/* name=value name=value, in one write: many do this at once. */
static void say(const char *path, int n, const char *(*name)(int), uint64_t (*value)(int))
{
	int fd = open_real(path, O_WRONLY | O_CREAT | O_APPEND, 0600), used = 0;
	char line[128];

	for (int i = 0; i < n; i++)
		used += snprintf(line + used, sizeof(line) - (size_t)used, "%s%s=%lu", i ? " " : "", name(i),
				 (unsigned long)value(i));
	line[used++] = '\n';
	if (fd < 0 || write(fd, line, (size_t)used) != used)
		exit(9);
	close(fd);
}

static const char *register_name(int i)
{
	static char s[4] = "r0";

	s[1] = (char)('0' + shown[i]);
	return s;
}

static uint64_t register_value(int i)
{
	return reg[shown[i]];
}

static const char *variable_name(int i)
{
	return names[i];
}

static uint64_t variable_value(int i)
{
	return pm[i * LINE];
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	int fd;

	if (argc < 5)
		return 9;
	read_program(argv[2]);
	fd = open(argv[3], O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 9;
	pm = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (strcmp(argv[1], "image") == 0) {
		say(argv[4], nvar, variable_name, variable_value);
		return 0;
	}
	for (int i = 0; i < nthread; i++)
		pthread_create(&t[i], NULL, run, (void *)(intptr_t)i);
	for (int i = 0; i < nthread; i++)
		pthread_join(t[i], NULL);
	say(argv[4], nreg, register_name, register_value);
	return 0;
}
