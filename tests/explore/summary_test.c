/*
 * summary_test.c - what summaries say of libc's functions is what libc does.
 *
 * Memory is filled at random, some of its bytes from an input. A function is called once, with its
 * summary around it: that gives the label of the result, labels of memory, and steps of the path.
 * Then it is called with many other inputs. For each that takes the same steps, all labels must have
 * the values that the function has made.
 *
 * Labels of memory, branches and pins are kept here as simply as can be; they stand for hook.c and
 * label.c.
 */
#include "runtime/symbolic/summary.h"
#include "unit/unit.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <arpa/inet.h>

struct pd_symbolic pd_symbolic;

/* ---- labels, as simply as can be --------------------------------------------------------------- */

enum { ROOM = 96, BYTES = 6, STEPS = 4096, OTHERS = 60 };

/* All memory that a call uses. */
static struct memory {
	unsigned char a[ROOM], b[ROOM], d[ROOM];
	char *end;
	int number[4];
	int error; /* errno */
} m;

static pd_expr labels[sizeof(m)];
static pd_expr steps[STEPS];
static unsigned nsteps, nlost, npins, uses;
static uint8_t input[BYTES];

static pd_expr *label_of(const void *p)
{
	static pd_expr none;
	size_t at = (size_t)((const char *)p - (const char *)&m);

	if ((const char *)p >= (const char *)&errno && (const char *)p < (const char *)(&errno + 1))
		at = offsetof(struct memory, error) + (size_t)((const char *)p - (const char *)&errno);
	none = 0;
	return at < sizeof(m) ? &labels[at] : &none;
}

pd_expr pd_label_get(const void *p)
{
	return *label_of(p);
}

void pd_label_set(void *p, pd_expr e)
{
	*label_of(p) = e;
}

bool pd_labels_any(const void *p, size_t n)
{
	const char *at = p;

	/* What has labels is in m, or errno */
	if (n > sizeof(m) && at >= (const char *)&m && at < (const char *)(&m + 1))
		n = (size_t)((const char *)(&m + 1) - at);
	while (n-- > 0) {
		if (*label_of(at++))
			return true;
	}
	return false;
}

/* Nobody makes snapshots here. */
void pd_labels_used(const void *p, size_t n)
{
	(void)p, (void)n;
}

/* Nor is there anything outside that reads it back. */
void pd_outside_wrote(int fd, const struct pd_site *site, const char *by)
{
	(void)fd, (void)site, (void)by;
}

void pd_outside_wrote_stream(FILE *f, const struct pd_site *site, const char *by)
{
	(void)f, (void)site, (void)by;
}

void pd_outside_reads(int fd, const struct pd_site *site, const char *by)
{
	(void)fd, (void)site, (void)by;
}

void pd_labels_clear(void *p, size_t n)
{
	while (n-- > 0)
		*label_of((char *)p + n) = 0;
}

void pd_labels_move(void *to, const void *from, size_t n)
{
	pd_expr copy[ROOM];
	size_t i;

	assert_true(n <= ROOM);
	for (i = 0; i < n; i++)
		copy[i] = *label_of((const char *)from + i);
	for (i = 0; i < n; i++)
		*label_of((char *)to + i) = copy[i];
}

void pd_labels_input(void *p, size_t n, uint32_t first)
{
	size_t i;

	for (i = 0; i < n; i++)
		*label_of((char *)p + i) = pd_expr_input(pd_symbolic.exprs, first + (uint32_t)i);
}

pd_expr pd_label_load(const void *p, uint32_t n)
{
	const unsigned char *at = p;
	pd_expr e = 0, byte;

	if (!pd_labels_any(p, n))
		return 0;
	while (n--) {
		byte = *label_of(at + n);
		if (!byte)
			byte = pd_expr_const(pd_symbolic.exprs, 8, at[n]);
		e = e ? pd_expr_concat(pd_symbolic.exprs, e, byte) : byte;
	}
	return e;
}

void pd_label_store(void *p, uint32_t n, pd_expr e)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		*label_of((char *)p + i) = e ? pd_expr_extract(pd_symbolic.exprs, e, i * 8, 8) : 0;
}

static void step(pd_expr holds)
{
	assert_true(nsteps < STEPS);
	assert_int_equal(pd_expr_value(pd_symbolic.exprs, holds), 1);
	steps[nsteps++] = holds;
}

void pd_symbolic_branch(const struct pd_site *site, pd_expr condition, bool taken)
{
	(void)site;
	step(taken ? condition : pd_expr_not(pd_symbolic.exprs, condition));
}

void pd_symbolic_pin(const struct pd_site *site, pd_expr e, uint64_t value, enum pd_sym_why why)
{
	uint32_t width = pd_expr_width(pd_symbolic.exprs, e);

	(void)site;
	(void)why;
	npins++;
	if (width < 64)
		value &= (1ULL << width) - 1;
	step(pd_expr_binary(pd_symbolic.exprs, PD_SYM_EQ, e,
			    pd_expr_const(pd_symbolic.exprs, width, value)));
}

static void count_lost(enum pd_sym_why why, const struct pd_site *site, const char *what)
{
	(void)why;
	(void)site;
	(void)what;
	nlost++;
}

static void count_use(void)
{
	uses++;
	pd_symbolic.first_use = NULL;
}

/* ---- the calls --------------------------------------------------------------------------------- */

enum { /* numbers of the list */
#define PD_SUMMARY(name) NUMBER_##name,
#include "cc/symbolic/summary.def"
};

/* What is compared of results. */
enum of { VALUE, SIGN, TRUTH, NOTHING, NEW };

struct call {
	const char *name;
	uint32_t number;
	uint64_t (*run)(const uint64_t *a);
	/*
	 * Arguments: a, b, d those blocks (strings in a and b); n a number of bytes, up to 12; N the
	 * same, or more than fits; c a byte, perhaps with a label; i an integer, perhaps with one; B a
	 * base; e &m.end; E the same, or NULL; s &m.end, which leads into a; #x the format x of
	 * `formats`; 0 to 3 numbers
	 */
	const char *args;
	const char *alphabet;
	uint32_t width;
	enum of of;
};

#define P(i)  ((char *)(uintptr_t)a[i])
#define CP(i) ((const char *)(uintptr_t)a[i])

#define CALL(name, expression)                                                                     \
	static uint64_t run_##name(const uint64_t *a)                                              \
	{                                                                                          \
		return (uint64_t)(expression);                                                     \
	}
#define VOID(name, expression)                                                                     \
	static uint64_t run_##name(const uint64_t *a)                                              \
	{                                                                                          \
		expression;                                                                        \
		return 0;                                                                          \
	}

VOID(memcpy, memcpy(P(0), CP(1), a[2]))
VOID(memmove, memmove(P(0), CP(1), a[2]))
CALL(mempcpy, mempcpy(P(0), CP(1), a[2]))
VOID(memset, memset(P(0), (int)a[1], a[2]))
VOID(bcopy, bcopy(CP(0), P(1), a[2]))
VOID(bzero, bzero(P(0), a[1]))
CALL(memccpy, memccpy(P(0), CP(1), (int)a[2], a[3]))
CALL(memcmp, memcmp(CP(0), CP(1), a[2]))
CALL(bcmp, bcmp(CP(0), CP(1), a[2]))
CALL(memchr, memchr(CP(0), (int)a[1], a[2]))
CALL(memrchr, memrchr(CP(0), (int)a[1], a[2]))
CALL(memmem, memmem(CP(0), a[1], CP(2), a[3]))
CALL(strlen, strlen(CP(0)))
CALL(strnlen, strnlen(CP(0), a[1]))
CALL(strcmp, strcmp(CP(0), CP(1)))
CALL(strncmp, strncmp(CP(0), CP(1), a[2]))
CALL(strcasecmp, strcasecmp(CP(0), CP(1)))
CALL(strncasecmp, strncasecmp(CP(0), CP(1), a[2]))
CALL(strcoll, strcoll(CP(0), CP(1)))
CALL(strchr, strchr(CP(0), (int)a[1]))
CALL(strrchr, strrchr(CP(0), (int)a[1]))
CALL(strchrnul, strchrnul(CP(0), (int)a[1]))
CALL(strstr, strstr(CP(0), CP(1)))
CALL(strcasestr, strcasestr(CP(0), CP(1)))
CALL(strspn, strspn(CP(0), CP(1)))
CALL(strcspn, strcspn(CP(0), CP(1)))
CALL(strpbrk, strpbrk(CP(0), CP(1)))
VOID(strcpy, strcpy(P(0), CP(1)))
CALL(stpcpy, stpcpy(P(0), CP(1)))
VOID(strncpy, strncpy(P(0), CP(1), a[2]))
CALL(stpncpy, stpncpy(P(0), CP(1), a[2]))
VOID(strcat, strcat(P(0), CP(1)))
VOID(strncat, strncat(P(0), CP(1), a[2]))
CALL(strtok, strtok(P(0), CP(1)))
CALL(strtok_r, strtok_r(P(0), CP(1), (char **)P(2)))
CALL(strsep, strsep((char **)P(0), CP(1)))
CALL(isalnum, (isalnum)((int)a[0]))
CALL(isalpha, (isalpha)((int)a[0]))
CALL(isblank, (isblank)((int)a[0]))
CALL(iscntrl, (iscntrl)((int)a[0]))
CALL(isdigit, (isdigit)((int)a[0]))
CALL(isgraph, (isgraph)((int)a[0]))
CALL(islower, (islower)((int)a[0]))
CALL(isprint, (isprint)((int)a[0]))
CALL(ispunct, (ispunct)((int)a[0]))
CALL(isspace, (isspace)((int)a[0]))
CALL(isupper, (isupper)((int)a[0]))
CALL(isxdigit, (isxdigit)((int)a[0]))
CALL(isascii, (isascii)((int)a[0]))
CALL(toascii, (toascii)((int)a[0]))
CALL(tolower, (tolower)((int)a[0]))
CALL(toupper, (toupper)((int)a[0]))
CALL(atoi, atoi(CP(0)))
CALL(atol, atol(CP(0)))
CALL(strtol, strtol(CP(0), (char **)P(1), (int)a[2]))
CALL(strtoul, strtoul(CP(0), (char **)P(1), (int)a[2]))
CALL(abs, abs((int)a[0]))
CALL(htonl, htonl((uint32_t)a[0]))
CALL(htons, htons((uint16_t)a[0]))
CALL(ffs, ffs((int)a[0]))
CALL(strdup, strdup(CP(0)))
CALL(strndup, strndup(CP(0), a[1]))
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
CALL(sscanf, sscanf(CP(0), CP(1), P(2), P(3), P(4), P(5)))
CALL(snprintf, snprintf(P(0), a[1], CP(2), a[3], a[4], a[5]))
CALL(sprintf, sprintf(P(0), CP(1), a[2], a[3], a[4]))

static const char *const formats[] = {
	"%d",		     /* a */
	" %d , %u",	     /* b */
	"%s %d",	     /* c */
	"%3s%2d%c",	     /* d */
	"%[a-c] %[^x]",	     /* e */
	"%x",		     /* f */
	"%*s %hd %n",	     /* g */
	"%hhu:%ld",	     /* h */
	"%d",		     /* i: printf */
	"<%5d|%-4d|%u>",     /* j */
	"%x%X %o",	     /* k */
	"%s=%c.",	     /* l */
	"%.2s|%5s|%-4s|",    /* m */
	"%05d %+d %%",	     /* n */
	"%hhd %hu %.4d",     /* o */
	"%ld %lx",	     /* p */
};

#define NUMBERS "0129 +-x\0aAfF9"
#define LARGE	"09989\0"
#define WORDS	"abAB \0\0,"

static const struct call calls[] = {
#define C(name, ...) {#name, NUMBER_##name, run_##name, __VA_ARGS__}
	C(memcpy, "dan", WORDS, 64, NOTHING),
	C(memmove, "ban", WORDS, 64, NOTHING),
	C(mempcpy, "dan", WORDS, 64, VALUE),
	C(memset, "acn", WORDS, 64, NOTHING),
	C(bcopy, "adn", WORDS, 0, NOTHING),
	C(bzero, "an", WORDS, 0, NOTHING),
	C(memccpy, "dacn", WORDS, 64, VALUE),
	C(memcmp, "abn", WORDS, 32, SIGN),
	C(bcmp, "abn", WORDS, 32, TRUTH),
	C(memchr, "acn", WORDS, 64, VALUE),
	C(memrchr, "acn", WORDS, 64, VALUE),
	C(memmem, "anbm", "aab", 64, VALUE),
	C(strlen, "a", WORDS, 64, VALUE),
	C(strnlen, "an", WORDS, 64, VALUE),
	C(strcmp, "ab", WORDS, 32, SIGN),
	C(strncmp, "abn", WORDS, 32, SIGN),
	C(strcasecmp, "ab", WORDS, 32, SIGN),
	C(strncasecmp, "abn", WORDS, 32, SIGN),
	C(strcoll, "ab", WORDS, 32, SIGN),
	C(strchr, "ac", WORDS, 64, VALUE),
	C(strrchr, "ac", WORDS, 64, VALUE),
	C(strchrnul, "ac", WORDS, 64, VALUE),
	C(strstr, "ab", "aab\0", 64, VALUE),
	C(strcasestr, "ab", "aAb\0", 64, VALUE),
	C(strspn, "ab", WORDS, 64, VALUE),
	C(strcspn, "ab", WORDS, 64, VALUE),
	C(strpbrk, "ab", WORDS, 64, VALUE),
	C(strcpy, "da", WORDS, 64, NOTHING),
	C(stpcpy, "da", WORDS, 64, VALUE),
	C(strncpy, "dan", WORDS, 64, NOTHING),
	C(stpncpy, "dan", WORDS, 64, VALUE),
	C(strcat, "ab", WORDS, 64, NOTHING),
	C(strncat, "abn", WORDS, 64, NOTHING),
	C(strtok, "ab", WORDS, 64, VALUE),
	C(strtok_r, "abe", WORDS, 64, VALUE),
	C(strsep, "sb", WORDS, 64, VALUE),
	C(isalnum, "c", "", 32, TRUTH),
	C(isalpha, "c", "", 32, TRUTH),
	C(isblank, "c", "", 32, TRUTH),
	C(iscntrl, "c", "", 32, TRUTH),
	C(isdigit, "c", "", 32, TRUTH),
	C(isgraph, "c", "", 32, TRUTH),
	C(islower, "c", "", 32, TRUTH),
	C(isprint, "c", "", 32, TRUTH),
	C(ispunct, "c", "", 32, TRUTH),
	C(isspace, "c", "", 32, TRUTH),
	C(isupper, "c", "", 32, TRUTH),
	C(isxdigit, "c", "", 32, TRUTH),
	C(isascii, "i", "", 32, VALUE),
	C(toascii, "i", "", 32, VALUE),
	C(tolower, "i", "", 32, VALUE),
	C(toupper, "i", "", 32, VALUE),
	C(atoi, "a", NUMBERS, 32, VALUE),
	C(atol, "a", NUMBERS, 64, VALUE),
	C(strtol, "aEB", NUMBERS, 64, VALUE),
	C(strtoul, "aEB", NUMBERS, 64, VALUE),
	C(strtol, "aEB", LARGE, 64, VALUE),
	C(strtoul, "aEB", LARGE, 64, VALUE),
	C(atoi, "a", LARGE, 32, VALUE),
	C(abs, "i", "", 32, VALUE),
	C(htonl, "i", "", 32, VALUE),
	C(htons, "i", "", 16, VALUE),
	C(ffs, "i", "", 32, VALUE),
	C(strdup, "a", WORDS, 64, NEW),
	C(strndup, "an", WORDS, 64, NEW),
	C(sscanf, "a#a0", NUMBERS, 32, VALUE),
	C(sscanf, "a#b01", NUMBERS ",", 32, VALUE),
	C(sscanf, "a#cd0", NUMBERS, 32, VALUE),
	C(sscanf, "a#dd01", "12 ab\0", 32, VALUE),
	C(sscanf, "a#edb", "abcx \0", 32, VALUE),
	C(sscanf, "a#f0", "0x1aF -\0", 32, VALUE),
	C(sscanf, "a#g01", NUMBERS, 32, VALUE),
	C(sscanf, "a#h02", "0123:-\0", 32, VALUE),
	C(snprintf, "dn#ii", "", 32, VALUE),
	C(snprintf, "dN#jiic", "", 32, VALUE),
	C(sprintf, "d#kiic", "", 32, VALUE),
	C(sprintf, "d#lac", "abc\0", 32, VALUE),
	C(snprintf, "dN#mabb", "abc\0", 32, VALUE),
	C(sprintf, "d#nii", "", 32, VALUE),
	C(sprintf, "d#oiii", "", 32, VALUE),
	C(sprintf, "d#pii", "", 32, VALUE),
};

/* ---- one comparison ---------------------------------------------------------------------------- */

static uint64_t seed = 1;

static uint32_t draw(uint32_t n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return n ? (uint32_t)(seed >> 33) % n : 0;
}

/* What a byte of a block is: fixed, or that byte of the input. */
struct cell {
	unsigned char fixed;
	int8_t from; /* -1: fixed */
};

static struct cell plan_a[ROOM], plan_b[ROOM];
static uint64_t args[8];
static int8_t arg_from[8]; /* -1: it has no label */
static uint32_t nargs;
static bool arg_signed[8];
static int64_t factor; /* of those */

static unsigned char letter(const char *alphabet, size_t n)
{
	return n && draw(8) ? (unsigned char)alphabet[draw((uint32_t)n)] : (unsigned char)draw(256);
}

static size_t alphabet_size(const char *alphabet)
{
	if (!*alphabet)
		return 0;
	return strcmp(alphabet, NUMBERS) == 0 ? sizeof(NUMBERS) - 1
	       : strcmp(alphabet, LARGE) == 0 ? sizeof(LARGE) - 1
	       : strcmp(alphabet, WORDS) == 0 ? sizeof(WORDS) - 1
	       : strlen(alphabet) + 1;
}

static void plan_block(struct cell *cell, const struct call *c, uint32_t labelled)
{
	/* Numbers that are too large have many digits */
	uint32_t most = strcmp(c->alphabet, LARGE) == 0 ? 28 : 14, length = draw(most - 4), i;

	for (i = 0; i < ROOM; i++) {
		cell[i].fixed = letter(c->alphabet, alphabet_size(c->alphabet));
		if (i < length && !cell[i].fixed && draw(3))
			cell[i].fixed = 'a';
		cell[i].from = draw(100) < labelled && i < most ? (int8_t)draw(BYTES) : -1;
	}
	cell[length].fixed = 0;
	for (i = most + 2; i < ROOM; i++)
		cell[i].fixed = 0;
}

static void draw_input(const struct call *c, uint8_t *in)
{
	uint32_t i;

	for (i = 0; i < BYTES; i++)
		in[i] = letter(c->alphabet, alphabet_size(c->alphabet));
}

static void plan_args(const struct call *c)
{
	static const int bases[] = {10, 10, 10, 16, 0, 8, 2, 36, 7};
	const char *s = c->args;

	factor = draw(2) ? 1 : 0x1030507;
	memset(arg_from, -1, sizeof(arg_from));
	for (nargs = 0; *s; s++, nargs++) {
		uint64_t *v = &args[nargs];

		arg_signed[nargs] = false;
		switch (*s) {
		case 'a':
			*v = (uintptr_t)m.a;
			break;
		case 'b':
			*v = (uintptr_t)m.b;
			break;
		case 'd':
			*v = (uintptr_t)m.d;
			break;
		case 'n':
			*v = draw(13);
			break;
		case 'm':
			*v = 1 + draw(3);
			break;
		case 'N':
			*v = draw(3) ? 60 : draw(12);
			break;
		case 'c':
		case 'i':
			*v = (uint64_t)letter(c->alphabet, alphabet_size(c->alphabet));
			arg_signed[nargs] = *s == 'i' && draw(2);
			if (draw(2))
				arg_from[nargs] = (int8_t)draw(BYTES);
			break;
		case 'B':
			*v = (uint64_t)bases[draw(sizeof(bases) / sizeof(bases[0]))];
			break;
		case 'E':
			*v = draw(4) ? (uintptr_t)&m.end : 0;
			break;
		case 'e':
		case 's':
			*v = (uintptr_t)&m.end;
			break;
		case '#':
			*v = (uintptr_t)formats[*++s - 'a'];
			break;
		default:
			*v = (uintptr_t)&m.number[*s - '0'];
			break;
		}
	}
}

static uint64_t arg_value(uint32_t i, const uint8_t *in)
{
	uint64_t v;

	if (arg_from[i] < 0)
		return args[i];
	v = in[arg_from[i]];
	/* Something that is negative, or more than a byte */
	return arg_signed[i] ? (uint64_t)((int64_t)(int8_t)v * factor) & UINT32_MAX : v;
}

static pd_expr arg_label(uint32_t i)
{
	struct pd_exprs *x = pd_symbolic.exprs;
	pd_expr e;

	if (arg_from[i] < 0)
		return 0;
	e = pd_expr_input(x, (uint32_t)arg_from[i]);
	if (!arg_signed[i])
		return pd_expr_extend(x, PD_SYM_ZEXT, e, 32);
	return pd_expr_binary(x, PD_SYM_MUL, pd_expr_extend(x, PD_SYM_SEXT, e, 32),
			      pd_expr_const(x, 32, (uint32_t)factor));
}

static void fill_memory(const struct call *c, const uint8_t *in, bool with_labels)
{
	uint32_t i;

	memset(&m, 0x55, sizeof(m));
	if (with_labels)
		memset(labels, 0, sizeof(labels));
	for (i = 0; i < ROOM; i++) {
		m.a[i] = plan_a[i].from < 0 ? plan_a[i].fixed : in[plan_a[i].from];
		m.b[i] = plan_b[i].from < 0 ? plan_b[i].fixed : in[plan_b[i].from];
		if (!with_labels)
			continue;
		if (plan_a[i].from >= 0)
			labels[offsetof(struct memory, a) + i] =
				pd_expr_input(pd_symbolic.exprs, (uint32_t)plan_a[i].from);
		if (plan_b[i].from >= 0)
			labels[offsetof(struct memory, b) + i] =
				pd_expr_input(pd_symbolic.exprs, (uint32_t)plan_b[i].from);
	}
	m.end = strchr(c->args, 's') ? (char *)m.a : NULL;
	errno = 0;
}

static uint64_t run(const struct call *c, const uint8_t *in)
{
	uint64_t a[8] = {0}, r;
	uint32_t i;

	for (i = 0; i < nargs; i++)
		a[i] = arg_value(i, in);
	r = c->run(a);
	m.error = errno;
	return c->width && c->width < 64 ? r & ((1ULL << c->width) - 1) : r;
}

static struct memory first;
static uint64_t first_result;

static bool takes_steps(const uint8_t *in)
{
	unsigned i;

	for (i = 0; i < nsteps; i++) {
		if (!pd_expr_value_under(pd_symbolic.exprs, steps[i], in))
			return false;
	}
	return true;
}

static bool agrees(enum of of, uint64_t said, uint64_t is)
{
	int32_t s = (int32_t)said, r = (int32_t)is;

	switch (of) {
	case VALUE:
		return said == is;
	case SIGN:
		return (s > 0) - (s < 0) == (r > 0) - (r < 0);
	case TRUTH:
		return !s == !r;
	case NOTHING:
	case NEW:
	default:
		return true;
	}
}

/* The same call with another input, which takes the same steps. */
static void compare(const struct call *c, pd_expr result, const uint8_t *in)
{
	const unsigned char *now = (const unsigned char *)&m, *then = (const unsigned char *)&first;
	uint64_t said, r;
	size_t i;

	fill_memory(c, in, false);
	r = run(c, in);
	said = result ? pd_expr_value_under(pd_symbolic.exprs, result, in) : first_result;
	if (!agrees(c->of, said, r))
		fail_msg("%s(%s) seed %llu: says %llx, is %llx", c->name, c->args,
			 (unsigned long long)seed, (unsigned long long)said, (unsigned long long)r);
	for (i = 0; i < sizeof(m); i++) {
		said = labels[i] ? pd_expr_value_under(pd_symbolic.exprs, labels[i], in) : then[i];
		if (said != now[i])
			fail_msg("%s(%s) seed %llu: byte %zu is said to be %llx, is %x", c->name, c->args,
				 (unsigned long long)seed, i, (unsigned long long)said, now[i]);
	}
	if (c->of == NEW) {
		assert_string_equal((char *)(uintptr_t)r, (char *)m.a);
		free((void *)(uintptr_t)r);
	}
}

struct count {
	unsigned results; /* that have a label */
	unsigned others;  /* inputs that were compared */
};

static pd_expr call_once(const struct call *c)
{
	struct pd_sym_call call = {.function = c->number, .n = nargs, .width = c->width};
	uint32_t i;

	for (i = 0; i < nargs; i++) {
		call.arg[i] = arg_value(i, input);
		call.label[i] = arg_label(i);
	}
	nsteps = nlost = npins = 0;
	__pd_sym_calling(&call);
	call.result = run(c, input);
	first_result = call.result;
	return __pd_sym_called(&call);
}

static void one(const struct call *c, struct count *n)
{
	pd_expr result;
	uint8_t in[BYTES];
	unsigned i, changed;

	plan_block(plan_a, c, 30 * draw(4));
	plan_block(plan_b, c, 30 * draw(3));
	plan_args(c);
	draw_input(c, input);
	pd_exprs_input(pd_symbolic.exprs, input);
	fill_memory(c, input, true);
	result = call_once(c);
	first = m;
	n->results += result != 0;
	if (c->of == NEW) {
		assert_int_equal(nlost, 0);
		free((void *)(uintptr_t)first_result);
	}
	if (nlost) /* what is counted need not be right */
		return;
	for (i = 0; i < OTHERS; i++) {
		memcpy(in, input, sizeof(in));
		for (changed = draw(3); changed < 3; changed++)
			in[draw(BYTES)] = letter(c->alphabet, alphabet_size(c->alphabet));
		if (!takes_steps(in))
			continue;
		n->others += memcmp(in, input, sizeof(in)) != 0;
		if (c->of != NEW)
			compare(c, result, in);
	}
}

static void test_all(void **state)
{
	unsigned runs = getenv("RUNS") ? (unsigned)atoi(getenv("RUNS")) : 150, i, k;
	struct unit_host host = {.left = -1};
	struct pd_arena arena;

	(void)state;
	if (getenv("SEED"))
		seed = strtoull(getenv("SEED"), NULL, 10);
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct count n = {0};
		unsigned lost = 0;

		pd_arena_init(&arena, unit_host(&host));
		pd_symbolic.exprs = pd_exprs_create(&arena, BYTES);
		pd_symbolic.input = input;
		pd_symbolic.lost = count_lost;
		pd_symbolic.on = true;
		for (k = 0; k < runs; k++) {
			one(&calls[i], &n);
			lost += nlost;
		}
		print_message("# %-12s %-6s results with a label %u, lost %u, inputs compared %u\n",
			      calls[i].name, calls[i].args, n.results, lost, n.others);
		if (n.others < runs)
			fail_msg("%s: only %u inputs were compared", calls[i].name, n.others);
		if (lost > runs / 20)
			fail_msg("%s: %u of %u calls were not followed", calls[i].name, lost, runs);
		pd_arena_finish(&arena);
	}
}

/* Numbers at the limits: the last digit is of the input, and each digit is tried. */
static void test_limits(void **state)
{
	static const char *const texts[] = {"922337203685477580", "-922337203685477580",
					    "1844674407370955161", "-1844674407370955161"};
	static const struct call both[] = {
		{"strtol", NUMBER_strtol, run_strtol, "aEB", "", 64, VALUE},
		{"strtoul", NUMBER_strtoul, run_strtoul, "aEB", "", 64, VALUE},
	};
	struct unit_host host = {.left = -1};
	struct pd_arena arena;
	uint8_t in[BYTES] = {0};
	size_t n, i, t;
	pd_expr result;

	(void)state;
	pd_arena_init(&arena, unit_host(&host));
	pd_symbolic.exprs = pd_exprs_create(&arena, BYTES);
	pd_symbolic.input = input;
	pd_symbolic.on = true;
	for (t = 0; t < 8; t++) {
		n = strlen(texts[t / 2]);
		memset(plan_a, 0, sizeof(plan_a));
		memset(plan_b, 0, sizeof(plan_b));
		for (i = 0; i < ROOM; i++) {
			plan_a[i].from = plan_b[i].from = -1;
			plan_a[i].fixed = i < n ? (unsigned char)texts[t / 2][i] : 0;
		}
		plan_a[n].from = 0;
		memset(arg_from, -1, sizeof(arg_from));
		nargs = 3;
		args[0] = (uintptr_t)m.a;
		args[1] = (uintptr_t)&m.end;
		args[2] = 10;
		memset(input, '0', sizeof(input));
		pd_exprs_input(pd_symbolic.exprs, input);
		fill_memory(&both[t & 1], input, true);
		result = call_once(&both[t & 1]);
		first = m;
		assert_int_equal(nlost, 0);
		assert_int_equal(nsteps, 0);
		for (i = 0; i < 256; i++) {
			in[0] = (uint8_t)i;
			compare(&both[t & 1], result, in);
		}
	}
	pd_arena_finish(&arena);
}

/* The input is first used where a summary looks at it. */
static void test_use(void **state)
{
	struct pd_sym_call call = {.function = NUMBER_strlen, .n = 1, .width = 64};
	struct unit_host host = {.left = -1};
	struct pd_arena arena;

	(void)state;
	pd_arena_init(&arena, unit_host(&host));
	pd_symbolic.exprs = pd_exprs_create(&arena, BYTES);
	memset(&m, 0, sizeof(m));
	memset(labels, 0, sizeof(labels));
	pd_symbolic.first_use = count_use;
	call.arg[0] = (uintptr_t)m.a;
	__pd_sym_calling(&call);
	assert_int_equal(uses, 0);
	labels[0] = pd_expr_input(pd_symbolic.exprs, 0);
	__pd_sym_calling(&call);
	assert_int_equal(uses, 1);
	pd_symbolic.first_use = NULL;
	pd_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
