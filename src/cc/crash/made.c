/* made.c - see made.h. */
#include "cc/crash/made.h"
#include "base/hash.h"
#include "cc/crash/asmtext.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX };

struct reading {
	uint32_t store;	    /* of the current instructions; NONE: not one of those asked for */
	bool in_asm;	    /* inline asm, which is handled elsewhere */
	bool frame_pointer; /* %rbp is the frame pointer in this function */
	struct pd_arena *arena;
	pd_made_list *list;
	bool failed;
};

/* One instruction, as parts of its line. */
struct instruction {
	char mnemonic[32];
	char source[96]; /* the first operand; "" if there is only one */
	char target[96]; /* the last one */
};

static bool starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/* ---- a line --------------------------------------------------------------------------------- */

static size_t copy_word(char *to, size_t room, const char *s, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n && k + 1 < room; i++)
		if (!isspace((unsigned char)s[i]))
			to[k++] = s[i];
	to[k] = '\0';
	return k;
}

/* The length of the operand that begins at s: up to a comma outside of parentheses. */
static size_t operand_length(const char *s, size_t n)
{
	int depth = 0;
	size_t i = 0;

	for (; i < n && (s[i] != ',' || depth); i++)
		depth += (s[i] == '(') - (s[i] == ')');
	return i;
}

static bool take_instruction(const char *s, size_t n, struct instruction *to)
{
	const char *comment = memchr(s, '#', n);
	size_t word = 0, first, at;

	n = comment ? (size_t)(comment - s) : n;
	while (n && isspace((unsigned char)*s)) {
		s++;
		n--;
	}
	while (word < n && !isspace((unsigned char)s[word]))
		word++;
	if (!word || *s == '.' || s[word - 1] == ':')
		return false;
	copy_word(to->mnemonic, sizeof(to->mnemonic), s, word);
	s += word;
	n -= word;
	first = operand_length(s, n);
	copy_word(to->source, sizeof(to->source), s, first);
	for (at = 0; at + first < n;) {
		at += first + 1;
		first = operand_length(s + at, n - at);
	}
	copy_word(to->target, sizeof(to->target), s + at, n - at);
	if (!at)
		to->source[0] = '\0';
	return true;
}

/* ---- what it writes ------------------------------------------------------------------------- */

static bool is_memory(const char *operand)
{
	return strchr(operand, '(') || (*operand && *operand != '%' && *operand != '$') ||
	       starts(operand, "%fs:") || starts(operand, "%gs:");
}

static bool is_stack(const struct reading *r, const char *operand)
{
	const char *open = strchr(operand, '(');

	return open && (starts(open, "(%rsp") || (r->frame_pointer && starts(open, "(%rbp")));
}

static bool is_any(const char *s, const char *const *prefixes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (starts(s, prefixes[i]))
			return true;
	return false;
}

/* Whether the last operand is memory that is only read, or only addressed. */
static bool only_reads(const char *mnemonic)
{
	static const char *const readers[] = {
		"cmp",	   "test", "ucomis", "comis",	"vucomis", "vcomis", "prefetch",
		"clflush", "clwb", "push",   "bt",	"nop",	   "mul",    "imul",
		"div",	   "idiv", "fld",    "fild",	"fadd",	   "fsub",   "fmul",
		"fdiv",	   "fcom", "fucom",  "ldmxcsr", "vptest",  "ptest",  "cldemote",
		"invlpg",  "j",	   "call",   "lea",	"verr",	   "vtestp",
	};
	static const char *const writers[] = {"bts", "btr", "btc", "cmpxchg"};

	return is_any(mnemonic, readers, PD_LEN(readers)) &&
	       !is_any(mnemonic, writers, PD_LEN(writers));
}

static bool modifies(const char *mnemonic)
{
	static const char *const all[] = {"add", "or",	 "and",	 "xor",	   "sub", "inc", "dec",
					  "neg", "not",	 "adc",	 "sbb",	   "shl", "shr", "sar",
					  "sal", "rol",	 "ror",	 "rcl",	   "rcr", "bts", "btr",
					  "btc", "xchg", "xadd", "cmpxchg"};

	return is_any(mnemonic, all, PD_LEN(all));
}

static uint32_t suffix_size(const char *mnemonic)
{
	switch (mnemonic[strlen(mnemonic) - 1]) {
	case 'b':
		return 1;
	case 'w':
		return 2;
	case 'l':
		return 4;
	case 'q':
		return 8;
	default:
		return 0;
	}
}

/* The size of a move from a vector register, with or without the v of AVX; 0: the whole
 * register. */
static uint32_t part_size(const char *mnemonic)
{
	static const struct {
		const char *name;
		uint32_t size;
	} parts[] = {{"movss", 4},  {"movsd", 8},  {"movd", 4},	  {"movq", 8},	{"movlps", 8},
		     {"movhps", 8}, {"movlpd", 8}, {"movhpd", 8}, {"movsh", 2}, {"movw", 2}};

	mnemonic += *mnemonic == 'v';
	for (size_t i = 0; i < PD_LEN(parts); i++)
		if (strcmp(mnemonic, parts[i].name) == 0)
			return parts[i].size;
	return 0;
}

/* 0: unknown. */
static uint32_t move_size(const struct instruction *i)
{
	struct pd_asm_operand op = {.size = 0};
	bool vector = i->source[0] == '%' && strstr(i->source, "mm") &&
		      pd_asm_register(i->source + 1, &op);
	uint32_t part = vector ? part_size(i->mnemonic) : 0;

	return !vector ? suffix_size(i->mnemonic) : part ? part : op.size;
}

static uint32_t extract_size(const char *mnemonic)
{
	mnemonic += *mnemonic == 'v';
	return starts(mnemonic, "extractps")	 ? 4
	       : strcmp(mnemonic, "pextrd") == 0 ? 4
	       : starts(mnemonic, "pextr")	 ? suffix_size(mnemonic)
						 : 0;
}

static uint32_t written_size(const struct instruction *i)
{
	if (strchr(i->target, '{'))
		return 0; /* masked */
	if (starts(i->mnemonic, "mov") || starts(i->mnemonic, "vmov"))
		return move_size(i);
	if (starts(i->mnemonic, "set"))
		return 1;
	return modifies(i->mnemonic) ? suffix_size(i->mnemonic) : extract_size(i->mnemonic);
}

/* Whether this calls a function that writes a block, or writes one in steps of its own. */
static bool writes_block(const struct instruction *i)
{
	static const char *const functions[] = {"memset", "memcpy", "memmove", "__mem", "bzero"};
	const char *name = i->target + (*i->target == '*');

	return starts(i->mnemonic, "rep") || starts(i->mnemonic, "stos") ||
	       ((starts(i->mnemonic, "call") || starts(i->mnemonic, "jmp")) &&
		is_any(name, functions, PD_LEN(functions)));
}

/* ---- pieces --------------------------------------------------------------------------------- */

static void add(struct reading *r, struct pd_made_piece piece)
{
	struct pd_made_piece *to = pd_vec_push(r->list, r->arena);

	piece.store = r->store;
	if (to)
		*to = piece;
	else
		r->failed = true;
}

/* "sym+8(%rdi,%rax,8)": the displacement is the number, the base is everything else. */
static void take_address(const char *operand, struct pd_made_piece *p)
{
	const char *open = strchr(operand, '('), *sign = operand;
	struct pd_digest d = PD_DIGEST_INIT;
	char *end;

	while (*sign && sign != open && *sign != '+' && *sign != '-' &&
	       !isdigit((unsigned char)*operand))
		sign++;
	p->at = strtoll(sign, &end, 0);
	if (end != (open ? open : operand + strlen(operand))) {
		p->odd = true;
		return;
	}
	pd_digest_bytes(&d, operand, (size_t)(sign - operand));
	pd_digest_bytes(&d, end, strlen(end));
	p->base = d.a;
}

static void take_piece(struct reading *r, const struct instruction *i)
{
	struct pd_made_piece p = {.size = written_size(i), .modifies = modifies(i->mnemonic)};

	p.odd = !p.size;
	take_address(i->target, &p);
	add(r, p);
}

/* .loc FILE LINE COLUMN: the following instructions come from this line. */
static void take_loc(struct reading *r, const char *s, size_t n)
{
	char text[64], *end;
	unsigned long line;

	n = PD_MIN(n, sizeof(text) - 1);
	memcpy(text, s, n);
	text[n] = '\0';
	strtoul(text, &end, 10);
	line = strtoul(end, NULL, 10);
	r->store = line >= PD_MADE_LINE ? (uint32_t)(line - PD_MADE_LINE) : NONE;
}

static void take_line(struct reading *r, const char *s, size_t n)
{
	struct instruction i;

	if (n > 5 && memcmp(s, "\t.loc", 5) == 0) {
		take_loc(r, s + 5, n - 5);
		return;
	}
	if (n >= 5 && memcmp(s, "\t#APP", 5) == 0)
		r->in_asm = true;
	if (n >= 8 && memcmp(s, "\t#NO_APP", 8) == 0)
		r->in_asm = false;
	if (n && *s != '\t' && *s != '.' && *s != '#') { /* a function begins */
		r->store = NONE;
		r->frame_pointer = false;
	}
	if (r->in_asm || !n || *s != '\t' || !take_instruction(s, n, &i))
		return;
	r->frame_pointer |= strcmp(i.mnemonic, "movq") == 0 && strcmp(i.source, "%rsp") == 0 &&
			    strcmp(i.target, "%rbp") == 0;
	if (r->store == NONE)
		return;
	if (writes_block(&i))
		add(r, (struct pd_made_piece){.call = true});
	else if (is_memory(i.target) && !is_stack(r, i.target) && !only_reads(i.mnemonic))
		take_piece(r, &i);
}

static int compare(const void *x, const void *y)
{
	const struct pd_made_piece *a = x, *b = y;

	if (a->store != b->store)
		return a->store < b->store ? -1 : 1;
	if (a->base != b->base)
		return a->base < b->base ? -1 : 1;
	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return a->size < b->size ? -1 : a->size > b->size;
}

bool pd_made_read(const char *assembly, size_t n, struct pd_arena *a, pd_made_list *list)
{
	struct reading r = {.store = NONE, .arena = a, .list = list};
	const char *end = assembly + n;
	uint32_t unique = 0;

	for (const char *s = assembly; s < end && !r.failed;) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));

		stop = stop ? stop : end;
		take_line(&r, s, (size_t)(stop - s));
		s = stop + 1;
	}
	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), compare);
	for (uint32_t i = 0; i < list->n; i++)
		if (!unique || compare(&list->v[unique - 1], &list->v[i]) != 0 || list->v[i].call ||
		    list->v[i].odd)
			list->v[unique++] = list->v[i];
	list->n = unique;
	return !r.failed;
}
