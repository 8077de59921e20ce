/* asmtext.c - see asmtext.h. */
#include "cc/crash/asmtext.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- registers ------------------------------------------------------------------------------ */

static bool number_after(const char *s, const char *prefix, unsigned *n)
{
	size_t k = strlen(prefix);
	char *end;

	if (strncmp(s, prefix, k) != 0 || !isdigit((unsigned char)s[k]))
		return false;
	*n = (unsigned)strtoul(s + k, &end, 10);
	return *end == '\0';
}

static bool vector_register(const char *name, struct pd_asm_operand *op)
{
	static const char *const prefix[] = {"xmm", "ymm", "zmm"};
	unsigned n;

	for (unsigned i = 0; i < PD_LEN(prefix); i++)
		if (number_after(name, prefix[i], &n)) {
			snprintf(op->reg, sizeof(op->reg), "xmm%u", n % 32);
			op->size = 16u << i;
			return true;
		}
	return false;
}

/* %r8 to %r15; d, w, b select parts. */
static bool numbered_register(const char *name, struct pd_asm_operand *op)
{
	char *end;
	unsigned long n;

	if (name[0] != 'r' || !isdigit((unsigned char)name[1]))
		return false;
	n = strtoul(name + 1, &end, 10);
	op->size = !*end ? 8 : *end == 'd' ? 4 : *end == 'w' ? 2 : 1;
	snprintf(op->reg, sizeof(op->reg), "r%lu", n % 16);
	return true;
}

static bool named_register(const char *name, struct pd_asm_operand *op)
{
	static const char *const two[] = {"ax", "bx", "cx", "dx", "si", "di", "bp", "sp"};
	size_t n = strlen(name);

	for (unsigned i = 0; i < PD_LEN(two); i++) {
		bool whole = n >= 2 && strcmp(name + n - 2, two[i]) == 0;
		bool low = n == 2 && name[0] == two[i][0] && name[1] == 'l' && two[i][1] == 'x';
		bool low3 = n == 3 && strncmp(name, two[i], 2) == 0 && name[2] == 'l';

		if (!(whole && n <= 3) && !low && !low3)
			continue;
		op->size = low || low3 ? 1 : n == 2 ? 2 : name[0] == 'e' ? 4 : 8;
		snprintf(op->reg, sizeof(op->reg), "%s", two[i]);
		return true;
	}
	return false;
}

bool pd_asm_register(const char *name, struct pd_asm_operand *op)
{
	return vector_register(name, op) || numbered_register(name, op) || named_register(name, op);
}

/* ---- operands ------------------------------------------------------------------------------- */

/* $0 or ${0:b}; returns the rest of the text, or NULL. */
static const char *parse_slot(const char *s, struct pd_asm_operand *op)
{
	char *end;

	if (s[0] == '$' && isdigit((unsigned char)s[1])) {
		op->slot = (int)strtol(s + 1, &end, 10);
		return end;
	}
	if (s[0] != '$' || s[1] != '{' || !isdigit((unsigned char)s[2]))
		return NULL;
	op->slot = (int)strtol(s + 2, &end, 10);
	if (*end == ':') {
		char c = end[1];

		op->size = c == 'b' ? 1 : c == 'w' ? 2 : c == 'k' ? 4 : c == 'q' ? 8 : 0;
	}
	end = strchr(end, '}');
	return end ? end + 1 : NULL;
}

/* The part of a memory operand in parentheses: a single base. */
static bool parse_base(const char *s, size_t n, struct pd_asm_operand *op)
{
	char b[32];
	const char *end;

	if (n == 0 || n >= sizeof(b) || memchr(s, ',', n))
		return false;
	memcpy(b, s, n);
	b[n] = '\0';
	end = parse_slot(b, op);
	if (end)
		return *end == '\0';
	return b[0] == '%' && pd_asm_register(b + 1, op);
}

static void parse_memory(const char *s, const char *open, struct pd_asm_operand *op)
{
	const char *close = strchr(open, ')');
	char *end = (char *)s;

	op->kind = PD_ASM_INDIRECT;
	if (open != s)
		op->number = strtoll(s, &end, 0);
	if (end != open || !close || close[1])
		return;
	if (!parse_base(open + 1, (size_t)(close - open - 1), op))
		return;
	op->size = 0;
	op->kind = PD_ASM_MEM;
}

/* s ends with 0 and contains no blanks. */
static struct pd_asm_operand parse_operand(const char *s)
{
	struct pd_asm_operand op = {.kind = PD_ASM_OTHER, .slot = -1};
	const char *open = strchr(s, '(');
	const char *end;

	if (open) {
		parse_memory(s, open, &op);
		return op;
	}
	if (s[0] == '%') {
		/* %fs:0 and the like are memory. */
		op.kind = pd_asm_register(s + 1, &op) ? PD_ASM_REG
			  : strchr(s, ':')	      ? PD_ASM_INDIRECT
						      : PD_ASM_OTHER;
		return op;
	}
	if (s[0] == '$' && s[1] == '$') {
		char *after;

		op.number = strtoll(s + 2, &after, 0);
		op.kind = *after || after == s + 2 ? PD_ASM_OTHER : PD_ASM_IMM;
		return op;
	}
	end = parse_slot(s, &op);
	if (end && !*end)
		op.kind = PD_ASM_SLOT;
	else if (strchr(s, '$'))
		op.kind =
			PD_ASM_INDIRECT; /* text attached to an operand: 8$0 is memory next to it */
	return op;
}

static void parse_operands(struct pd_asm_statement *st, char *s)
{
	char one[64];
	size_t k = 0;
	int depth = 0;

	for (;; s++) {
		if (*s == '\0' || (*s == ',' && depth == 0)) {
			one[k] = '\0';
			if (k && st->n == PD_ASM_OPERANDS)
				st->raw = true;
			else if (k)
				st->op[st->n++] = parse_operand(one);
			k = 0;
			if (!*s)
				return;
			continue;
		}
		depth += *s == '(' || *s == '{';
		depth -= *s == ')' || *s == '}';
		if (isspace((unsigned char)*s))
			continue;
		if (k + 1 == sizeof(one)) {
			st->raw = true;
			return;
		}
		one[k++] = *s;
	}
}

/* ---- statements ----------------------------------------------------------------------------- */

/* Directives that generate no code. */
static bool is_quiet_directive(const char *s)
{
	static const char *const quiet[] = {
		".symver",     ".globl",    ".global",	    ".local",	   ".weak",   ".hidden",
		".protected",  ".type",	    ".size",	    ".section",	   ".text",   ".data",
		".bss",	       ".previous", ".pushsection", ".popsection", ".align",  ".p2align",
		".balign",     ".set",	    ".equ",	    ".ident",	   ".file",   ".loc",
		".cfi_",       ".comm",	    ".asciz",	    ".ascii",	   ".string", ".incbin",
		".att_syntax", ".code64",   ".subsection",
	};

	for (size_t i = 0; i < PD_LEN(quiet); i++)
		if (strncmp(s, quiet[i], strlen(quiet[i])) == 0)
			return true;
	return false;
}

/* 0f ae with a register form (fences), or with the address in a register and nothing added to it
 * (flushes). */
static bool parse_0fae(struct pd_asm_statement *st, unsigned modrm, bool prefix)
{
	static const char *const fences[8] = {[5] = "lfence", [6] = "mfence", [7] = "sfence"};
	static const char *const at[8] = {"(%rax)", "(%rcx)", "(%rdx)", "(%rbx)",
					  NULL,	    NULL,     "(%rsi)", "(%rdi)"};
	unsigned op = modrm >> 3 & 7;

	if (modrm >> 6 == 3 && !prefix && fences[op]) {
		strcpy(st->mnemonic, fences[op]);
		return true;
	}
	if (modrm >> 6 || !at[modrm & 7] || (op != 7 && !(op == 6 && prefix)))
		return false;
	strcpy(st->mnemonic, op == 6 ? "clwb" : prefix ? "clflushopt" : "clflush");
	st->op[st->n++] = parse_operand(at[modrm & 7]);
	return true;
}

/* Encodings of instructions that old assemblers did not know. The 0x66 before clflush and xsaveopt
 * belongs to the next statement. */
static bool parse_bytes(struct pd_asm_statement *st, const char *args, bool *prefix)
{
	unsigned modrm;
	char b[64];
	int end = 0;
	size_t k = 0;

	for (; *args && k + 1 < sizeof(b); args++)
		if (!isspace((unsigned char)*args))
			b[k++] = (char)tolower((unsigned char)*args);
	b[k] = '\0';
	if (strcmp(b, "0x66") == 0) {
		*prefix = true;
		return true;
	}
	if (strcmp(b, "0xf3,0x90") == 0) {
		strcpy(st->mnemonic, "pause");
		return true;
	}
	if (strcmp(b, "0x66,0x0f,0xae,0xf8") == 0) {
		strcpy(st->mnemonic, "pcommit");
		return true;
	}
	if (sscanf(b, "0x66,0x0f,0xae,0x%x%n", &modrm, &end) == 1 && !b[end])
		return parse_0fae(st, modrm, true);
	if (sscanf(b, "0x0f,0xae,0x%x%n", &modrm, &end) == 1 && !b[end]) {
		bool data16 = *prefix;

		*prefix = false;
		return parse_0fae(st, modrm, data16);
	}
	if (strcmp(b, "0x66,0x0f,0x38,0xf8,0x02") == 0) {
		strcpy(st->mnemonic, "movdir64b");
		st->op[st->n++] = parse_operand("(%rdx)");
		st->op[st->n++] = parse_operand("%rax");
		return true;
	}
	return false;
}

static bool take_prefix(struct pd_asm_statement *st, const char *word)
{
	if (strcmp(word, "lock") == 0)
		st->lock = true;
	else if (strncmp(word, "rep", 3) == 0)
		st->rep = true;
	else if (strcmp(word, "data16") == 0)
		st->data16 = true;
	else
		return strcmp(word, "notrack") == 0 || strcmp(word, "xacquire") == 0 ||
		       strcmp(word, "xrelease") == 0;
	return true;
}

static char *take_word(char *s, char *word, size_t size)
{
	size_t k = 0;

	while (isspace((unsigned char)*s))
		s++;
	while (*s && !isspace((unsigned char)*s) && k + 1 < size)
		word[k++] = (char)tolower((unsigned char)*s++);
	word[k] = '\0';
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

/* Parses one statement into st. False: only prefixes ("lock;" on a line of its own), which belong
 * to the next statement: call it again with the same st. */
static bool parse_statement(struct pd_asm_statement *st, char *s)
{
	char word[64];

	for (;;) {
		s = take_word(s, word, sizeof(word));
		if (!word[0])
			return false;
		if (strchr(word, ':')) { /* a label; not understood if attached to an instruction */
			st->raw |= word[strlen(word) - 1] != ':';
			continue;
		}
		if (!take_prefix(st, word))
			break;
	}
	if (word[0] == '.') {
		st->raw = !is_quiet_directive(word) &&
			  (strcmp(word, ".byte") != 0 || !parse_bytes(st, s, &st->data16));
		return st->raw || st->mnemonic[0] != '\0';
	}
	if (strlen(word) >= sizeof(st->mnemonic)) {
		st->raw = true;
		return true;
	}
	strcpy(st->mnemonic, word);
	parse_operands(st, s);
	return true;
}

/* Selects the first alternative of each choice, drops comments; out has room for n + 1. */
static void flatten(char *out, const char *s, size_t n)
{
	bool skip = false;

	for (size_t i = 0; i < n; i++) {
		char next = i + 1 < n ? s[i + 1] : '\0';

		if (s[i] == '$' && (next == '(' || next == '|' || next == ')')) {
			skip = next == '|';
			i++;
		} else if (s[i] == '#') {
			while (i + 1 < n && s[i + 1] != '\n')
				i++;
		} else if (s[i] == '/' && next == '*') {
			for (i += 3; i < n && !(s[i - 1] == '*' && s[i] == '/');)
				i++;
		} else if (!skip) {
			*out++ = s[i];
		}
	}
	*out = '\0';
}

void pd_asm_parse(struct pd_asm_text *t, const char *s, size_t n)
{
	char *buf = malloc(n + 1), *save = NULL;
	struct pd_asm_statement *st = &t->v[0];

	memset(t, 0, sizeof(*t));
	if (!buf) {
		t->overflow = true;
		return;
	}
	flatten(buf, s, n);
	for (char *line = strtok_r(buf, ";\n", &save); line; line = strtok_r(NULL, ";\n", &save)) {
		if (t->n == PD_ASM_STATEMENTS) {
			t->overflow = true;
			break;
		}
		st = &t->v[t->n];
		t->n += parse_statement(st, line);
	}
	/* A prefix at the end, or one that applies to raw code. */
	if (t->n < PD_ASM_STATEMENTS && (t->v[t->n].lock || t->v[t->n].rep || t->v[t->n].data16)) {
		t->v[t->n].raw = !t->v[t->n].rep;
		t->n++;
	}
	free(buf);
}
