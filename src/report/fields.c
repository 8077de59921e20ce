/* fields.c - see fields.h. */
#include "report/fields.h"
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_ = 200, DEPTH = 8 };

struct wanted {
	/* Without namespaces, template arguments and the compiler's numbers */
	char name[NAME_MAX_];
	uint32_t size;
};

/* "ns::list<int>.12" becomes "list". */
static void plain_name(const char *type, char *buf, size_t n)
{
	const char *from = type, *end = type + strcspn(type, "<");
	const char *dot = strrchr(type, '.');

	if (dot && dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1) && dot < end)
		end = dot;
	for (const char *p = type; p + 1 < end; p++)
		if (p[0] == ':' && p[1] == ':')
			from = p + 2;
	snprintf(buf, n, "%.*s", (int)(end - from), from);
}

static bool is_called(Dwarf_Die *die, const char *name)
{
	const char *is = dwarf_diename(die);
	size_t n = strlen(name);

	return is && strncmp(is, name, n) == 0 && (!is[n] || is[n] == '<');
}

static bool is_struct(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static Dwarf_Die *type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Die *t = dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attr), type);

	return t && dwarf_peel_type(t, type) == 0 ? type : NULL;
}

/* The struct that this entry defines under the name: itself, or the target of a typedef. */
static bool defines(Dwarf_Die *die, const struct wanted *w, Dwarf_Die *type)
{
	Dwarf_Word size;

	if (!is_called(die, w->name))
		return false;
	if (is_struct(die))
		*type = *die;
	else if (dwarf_tag(die) != DW_TAG_typedef || !type_of(die, type) || !is_struct(type))
		return false;
	return dwarf_hasattr(type, DW_AT_declaration) == 0 &&
	       dwarf_aggregate_size(type, &size) == 0 && size == w->size;
}

/* ---- members -------------------------------------------------------------------------------- */

struct naming {
	char name[NAME_MAX_];
	uint32_t size; /* of the access */
};

static void append(struct naming *n, char separator, const char *s)
{
	size_t at = strlen(n->name);

	snprintf(n->name + at, sizeof(n->name) - at, "%c%s", separator, s);
}

static bool number_of(Dwarf_Die *die, unsigned attribute, Dwarf_Word *v)
{
	Dwarf_Attribute attr;

	return dwarf_formudata(dwarf_attr(die, attribute, &attr), v) == 0;
}

/* Whether the bytes begin in this member; *at is the member's own offset. */
static bool holds(Dwarf_Die *member, uint64_t offset, uint64_t size, Dwarf_Word *at, bool *bits)
{
	Dwarf_Die type;
	Dwarf_Word n = 0, bit;

	*bits = number_of(member, DW_AT_data_bit_offset, &bit);
	if (*bits) {
		*at = bit / 8;
		return *at >= offset && *at < offset + (size ? size : 1);
	}
	if (!number_of(member, DW_AT_data_member_location, at))
		*at = 0; /* in a union */
	if (dwarf_hasattr(member, DW_AT_external) || !type_of(member, &type))
		return false;
	return dwarf_aggregate_size(&type, &n) == 0 && *at <= offset && offset < *at + n;
}

static bool name_member(Dwarf_Die *type, uint64_t offset, struct naming *n, int depth);

/* Descends into a member that is itself a struct, or an array of them; not into std::atomic. */
static void go_into(Dwarf_Die *member, uint64_t offset, struct naming *n, int depth)
{
	Dwarf_Die type, element;
	Dwarf_Word size;

	if (!type_of(member, &type))
		return;
	while (dwarf_tag(&type) == DW_TAG_array_type) {
		if (!type_of(&type, &element) || dwarf_aggregate_size(&element, &size) != 0 ||
		    !size)
			return;
		offset %= size;
		type = element;
	}
	if (is_struct(&type) && !is_called(&type, "atomic") && !is_called(&type, "__atomic_base"))
		name_member(&type, offset, n, depth + 1);
}

/* All members of a union begin at 0: choose the one with the access's size. */
static bool fits(Dwarf_Die *member, uint32_t size)
{
	Dwarf_Die type;
	Dwarf_Word n;

	return type_of(member, &type) && dwarf_aggregate_size(&type, &n) == 0 && n == size;
}

/* Whether the access goes on behind this member: then it is to what is around it. */
static bool exceeds(Dwarf_Die *member, uint64_t offset, uint32_t size)
{
	Dwarf_Die type;
	Dwarf_Word n;

	return dwarf_tag(member) == DW_TAG_member && type_of(member, &type) &&
	       dwarf_aggregate_size(&type, &n) == 0 && offset + size > n;
}

static bool name_member(Dwarf_Die *type, uint64_t offset, struct naming *n, int depth)
{
	bool is_union = dwarf_tag(type) == DW_TAG_union_type, found = false, in_bits = false, bits;
	Dwarf_Die member, best;
	Dwarf_Word at, best_at = 0;

	if (depth == DEPTH || dwarf_child(type, &member) != 0)
		return false;
	do {
		int tag = dwarf_tag(&member);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    !holds(&member, offset, n->size, &at, &bits))
			continue;
		if (bits) {
			append(n, in_bits ? ',' : '.',
			       dwarf_diename(&member) ? dwarf_diename(&member) : "");
			in_bits = found = true;
		} else if (!found ||
			   (is_union && fits(&member, n->size) && !fits(&best, n->size))) {
			best = member;
			best_at = at;
			found = true;
		}
	} while (dwarf_siblingof(&member, &member) == 0);
	if (!found || in_bits || exceeds(&best, offset - best_at, n->size))
		return found;
	if (dwarf_diename(&best) && dwarf_tag(&best) == DW_TAG_member)
		append(n, '.', dwarf_diename(&best));
	go_into(&best, offset - best_at, n, depth);
	return true;
}

/* ---- the struct ----------------------------------------------------------------------------- */

/* Structs of one name and size may be several: of different namespaces, or template arguments,
 * which the compiler does not pass on. Then all of them must have the same member there. */
struct search {
	struct wanted want;
	uint32_t offset, size; /* of the access */
	char name[NAME_MAX_];  /* "" before the first one */
	bool differs;
};

static void compare(struct search *s, Dwarf_Die *type)
{
	struct naming n = {.size = s->size};

	snprintf(n.name, sizeof(n.name), "%s", s->want.name);
	if (!name_member(type, s->offset, &n, 0))
		s->differs = true;
	else if (!s->name[0])
		memcpy(s->name, n.name, sizeof(s->name));
	else
		s->differs |= strcmp(s->name, n.name) != 0;
}

static void search_below(Dwarf_Die *parent, struct search *s, int depth)
{
	Dwarf_Die die, type;

	if (depth == DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (defines(&die, &s->want, &type))
			compare(s, &type);
		if (is_struct(&die) || tag == DW_TAG_namespace || tag == DW_TAG_subprogram ||
		    tag == DW_TAG_lexical_block)
			search_below(&die, s, depth + 1);
	} while (!s->differs && dwarf_siblingof(&die, &die) == 0);
}

static int search_module(Dwfl_Module *m, void **user, const char *name, Dwarf_Addr start, void *arg)
{
	struct search *s = arg;
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	(void)user;
	(void)name;
	(void)start;
	while (!s->differs && (unit = dwfl_module_nextcu(m, unit, &bias)))
		search_below(unit, s, 0);
	/* Another module may have an unrelated struct of this name. The program is the first
	 * one. */
	return s->differs || s->name[0] ? DWARF_CB_ABORT : DWARF_CB_OK;
}

const char *pd_field_name(struct pd_symbols *s, struct pd_arena *a, const char *type,
			  uint32_t type_size, uint32_t offset, uint32_t size)
{
	struct search w = {.want = {.size = type_size}, .offset = offset, .size = size};

	plain_name(type, w.want.name, sizeof(w.want.name));
	if (!s || !w.want.name[0])
		return NULL;
	dwfl_getmodules(pd_symbols_dwfl(s), search_module, &w, 0);
	return w.name[0] && !w.differs ? pd_arena_strndup(a, w.name, strlen(w.name)) : NULL;
}
