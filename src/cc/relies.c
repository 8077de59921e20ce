/* relies.c - see relies.h. */
#include "cc/relies.h"
#include "base/bug.h"
#include <llvm-c/DebugInfo.h>
#include <llvm-c/IRReader.h>
#include <stdio.h>
#include <string.h>

static bool differs(char *why, size_t size, const char *what)
{
	unsigned major, minor, patch;

	LLVMGetVersion(&major, &minor, &patch);
	snprintf(why, size, "LLVM %u.%u.%u %s; build perdure with LLVM %d", major, minor, patch,
		 what, PD_LLVM);
	return false;
}

static LLVMModuleRef parse(LLVMContextRef ctx, const char *text)
{
	LLVMMemoryBufferRef buf =
		LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "relies");
	LLVMModuleRef m = NULL;
	char *why = NULL;

	/* Takes ownership of the buffer, even if it fails. */
	if (!LLVMParseIRInContext(ctx, buf, &m, &why))
		return m;
	LLVMDisposeMessage(why);
	return NULL;
}

/* ---- attributes and intrinsics -------------------------------------------------------------- */

unsigned pd_attribute_kind(const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	PD_CHECK(kind, "an attribute that LLVM does not have");
	return kind;
}

static bool names_check(const struct pd_relies *r, char *why, size_t size)
{
	char what[160];

	for (const char *const *a = r->attributes; a && *a; a++)
		if (!LLVMGetEnumAttributeKindForName(*a, strlen(*a))) {
			snprintf(what, sizeof(what), "has no attribute '%s'", *a);
			return differs(why, size, what);
		}
	for (const char *const *i = r->intrinsics; i && *i; i++)
		if (!LLVMLookupIntrinsicID(*i, strlen(*i))) {
			snprintf(what, sizeof(what), "has no intrinsic '%s'", *i);
			return differs(why, size, what);
		}
	return true;
}

/* The number that encodes an attribute; false: this LLVM does not understand its text. */
static bool encode(LLVMContextRef ctx, const struct pd_encoding *e, uint64_t *value)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(e->name, strlen(e->name));
	LLVMAttributeRef a = NULL;
	LLVMModuleRef m;
	char text[256];

	snprintf(text, sizeof(text), "declare void @f(ptr) %s\n", e->text);
	m = parse(ctx, text);
	if (!m)
		return false;
	if (kind)
		a = LLVMGetEnumAttributeAtIndex(LLVMGetNamedFunction(m, "f"),
						(LLVMAttributeIndex)LLVMAttributeFunctionIndex,
						kind);
	if (a)
		*value = LLVMGetEnumAttributeValue(a);
	LLVMDisposeModule(m);
	return a;
}

static bool encoding_check(LLVMContextRef ctx, const struct pd_encoding *e, char *why, size_t size)
{
	uint64_t value = 0;
	char what[160];

	if (!encode(ctx, e, &value))
		snprintf(what, sizeof(what), "does not know '%s'", e->text);
	else if (value != e->value)
		snprintf(what, sizeof(what), "encodes '%s' as %lu, not as %lu", e->text,
			 (unsigned long)value, (unsigned long)e->value);
	else
		return true;
	return differs(why, size, what);
}

bool pd_relies_check(const struct pd_relies *r, char *why, size_t size)
{
	LLVMContextRef ctx = LLVMContextCreate();
	bool same = names_check(r, why, size);

	for (const struct pd_encoding *e = r->encodings; same && e && e->name; e++)
		same = encoding_check(ctx, e, why, size);
	LLVMContextDispose(ctx);
	return same;
}

/* ---- debug nodes ---------------------------------------------------------------------------- */

LLVMValueRef pd_debug_operand(LLVMContextRef ctx, LLVMMetadataRef node, enum pd_debug_operand i)
{
	LLVMValueRef v = LLVMMetadataAsValue(ctx, node), ops[32];
	unsigned n = (unsigned)LLVMGetMDNodeNumOperands(v);

	if (i >= n || n > PD_LEN(ops))
		return NULL;
	LLVMGetMDNodeOperands(v, ops);
	return ops[i];
}

static bool is_text(LLVMValueRef v, const char *want)
{
	unsigned n = 0;
	const char *s = v ? LLVMGetMDString(v, &n) : NULL;

	return s && n == strlen(want) && memcmp(s, want, n) == 0;
}

static const char sample[] =
	"define void @f() !dbg !3 {\n ret void, !dbg !5\n}\n"
	"!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!2}\n"
	"!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1)\n"
	"!1 = !DIFile(filename: \"f.c\", directory: \"/\")\n"
	"!2 = !{i32 2, !\"Debug Info Version\", i32 3}\n"
	"!3 = distinct !DISubprogram(name: \"f\", linkageName: \"_Z1fv\", scope: !1, file: !1, "
	"line: 1, spFlags: DISPFlagDefinition, unit: !0)\n"
	"!4 = distinct !DILexicalBlock(scope: !3, file: !1, line: 1)\n"
	"!5 = !DILocation(line: 1, scope: !4)\n";

static bool has_operands(LLVMContextRef ctx, LLVMValueRef fn)
{
	LLVMMetadataRef sp = LLVMGetSubprogram(fn);
	LLVMMetadataRef at =
		LLVMInstructionGetDebugLoc(LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)));
	LLVMValueRef parent =
		at ? pd_debug_operand(ctx, LLVMDILocationGetScope(at), PD_DEBUG_PARENT) : NULL;

	return sp && parent && LLVMValueAsMetadata(parent) == sp &&
	       is_text(pd_debug_operand(ctx, sp, PD_DEBUG_NAME), "f") &&
	       is_text(pd_debug_operand(ctx, sp, PD_DEBUG_LINKAGE_NAME), "_Z1fv");
}

bool pd_debug_check(char *why, size_t size)
{
	LLVMContextRef ctx = LLVMContextCreate();
	LLVMModuleRef m = parse(ctx, sample);
	bool same = m && has_operands(ctx, LLVMGetNamedFunction(m, "f"));

	if (m)
		LLVMDisposeModule(m);
	LLVMContextDispose(ctx);
	return same || differs(why, size, "has other operands in its debug nodes");
}
