/* points.c - see points.h. */
#include "cc/symbolic/points.h"
#include "base/bug.h"
#include "base/hash.h"
#include "cc/crash/crash.h"
#include "cc/symbolic/symbolic.h"
#include <stdio.h>
#include <string.h>

static bool starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

static const char *name_of(LLVMValueRef v)
{
	size_t n;

	return LLVMGetValueName2(v, &n);
}

/* ---- names ---------------------------------------------------------------------------------- */

static void push_bytes(struct pd_points *p, const char *s, size_t n)
{
	for (size_t i = 0; i <= n; i++) {
		char *c = pd_vec_push(&p->names, &p->m->arena);

		PD_CHECK(c, "out of memory");
		*c = i < n ? s[i] : '\0';
	}
}

uint32_t pd_points_name(struct pd_points *p, const char *s, size_t n)
{
	struct pd_digest d = PD_DIGEST_INIT;
	uint64_t *at;

	pd_digest_bytes(&d, s, n);
	at = pd_map_put(&p->name, &p->m->arena, d.a >> 1);
	PD_CHECK(at, "out of memory");
	if (!*at) {
		*at = p->names.n;
		push_bytes(p, s, n);
	}
	return (uint32_t)*at;
}

uint32_t pd_points_pointer_name(struct pd_points *p, unsigned arguments)
{
	char name[20];

	return pd_points_name(p, name, (size_t)snprintf(name, sizeof(name), "*%u", arguments));
}

/* ---- classes -------------------------------------------------------------------------------- */

static uint32_t new_class(struct pd_points *p)
{
	struct pd_class *c = pd_vec_push(&p->classes, &p->m->arena);

	PD_CHECK(c, "out of memory");
	*c = (struct pd_class){.parent = p->classes.n - 1, .inside = PD_REACH_NONE};
	return p->classes.n - 1;
}

uint32_t pd_points_class(struct pd_points *p, uint32_t c)
{
	while (p->classes.v[c].parent != c) {
		p->classes.v[c].parent = p->classes.v[p->classes.v[c].parent].parent;
		c = p->classes.v[c].parent;
	}
	return c;
}

static uint32_t inside(struct pd_points *p, uint32_t c)
{
	uint32_t in;

	c = pd_points_class(p, c);
	if (p->classes.v[c].inside == PD_REACH_NONE) {
		in = new_class(p); /* may move the classes */
		p->classes.v[c].inside = in;
	}
	return pd_points_class(p, p->classes.v[c].inside);
}

/* Merges two classes, and what they contain. */
static void join(struct pd_points *p, uint32_t a, uint32_t b)
{
	for (;;) {
		struct pd_class *v = p->classes.v;
		uint32_t in;

		a = pd_points_class(p, a);
		b = pd_points_class(p, b);
		if (a == b)
			return;
		in = v[b].inside;
		v[b].parent = a;
		v[a].pm |= v[b].pm;
		if (v[a].inside == PD_REACH_NONE || in == PD_REACH_NONE) {
			v[a].inside = v[a].inside == PD_REACH_NONE ? in : v[a].inside;
			return;
		}
		a = v[a].inside;
		b = in;
	}
}

static bool has_pointers(LLVMTypeRef t)
{
	switch ((int)LLVMGetTypeKind(t)) {
	case LLVMPointerTypeKind:
	case LLVMStructTypeKind:
		return true;
	case LLVMArrayTypeKind:
	case LLVMVectorTypeKind:
	case LLVMScalableVectorTypeKind:
		return has_pointers(LLVMGetElementType(t));
	default:
		return false;
	}
}

static uint32_t keyed(struct pd_points *p, uint64_t key)
{
	uint64_t *at = pd_map_put(&p->of, &p->m->arena, key);

	PD_CHECK(at, "out of memory");
	if (!*at)
		*at = new_class(p) + 1;
	return pd_points_class(p, (uint32_t)*at - 1);
}

static bool is_step(LLVMValueRef v)
{
	LLVMOpcode op;

	if (!LLVMIsAConstantExpr(v))
		return false;
	op = LLVMGetConstOpcode(v);
	return op == LLVMGetElementPtr || op == LLVMBitCast || op == LLVMAddrSpaceCast;
}

/* The class that a value points to. */
static uint32_t to(struct pd_points *p, LLVMValueRef v)
{
	while (is_step(v))
		v = LLVMGetOperand(v, 0);
	if (LLVMIsAGlobalAlias(v))
		return to(p, LLVMAliasGetAliasee(v));
	/* Has no memory: must not merge all classes */
	if (LLVMIsAConstantPointerNull(v) || LLVMIsUndef(v) || LLVMIsAConstantInt(v))
		return new_class(p);
	return keyed(p, (uintptr_t)v >> 1);
}

static uint32_t result_of(struct pd_points *p, LLVMValueRef fn)
{
	return keyed(p, ((uintptr_t)fn >> 1) + 1);
}

static void same(struct pd_points *p, LLVMValueRef a, LLVMValueRef b)
{
	if (has_pointers(LLVMTypeOf(a)) && has_pointers(LLVMTypeOf(b)))
		join(p, to(p, a), to(p, b));
}

static void mark(struct pd_points *p, uint32_t c)
{
	p->classes.v[pd_points_class(p, c)].pm = true;
}

static void bind(struct pd_points *p, uint32_t name, uint32_t part, uint32_t class, bool defined)
{
	struct pd_bind *b = pd_vec_push(&p->binds, &p->m->arena);

	PD_CHECK(b, "out of memory");
	*b = (struct pd_bind){name, part, class, defined};
}

/* ---- functions of libraries ------------------------------------------------------------------ */

/* Prefixes that programs do not use for functions of their own. */
static const char *const known_prefixes[] = {"pthread_", "sem_",   "mtx_",    "cnd_",	  "thrd_",
					     "__pd_",	 "__cxa_", "__gxx_",  "__clang_", "_ZSt",
					     "_Zn",	 "_ZNSt",  "_ZNKSt",  "__isoc",	  "__ctype",
					     "__errno",	 "_Zd",	   "__assert"};

static const char *const known_names[] = {"_Exit",
					  "__sigsetjmp",
					  "_exit",
					  "_setjmp",
					  "abort",
					  "abs",
					  "accept",
					  "access",
					  "alarm",
					  "atexit",
					  "aligned_alloc",
					  "bind",
					  "calloc",
					  "chdir",
					  "chmod",
					  "clock",
					  "clock_gettime",
					  "close",
					  "closedir",
					  "connect",
					  "creat",
					  "dup",
					  "dup2",
					  "exit",
					  "fallocate",
					  "fchmod",
					  "fclose",
					  "fcntl",
					  "fdatasync",
					  "fdopen",
					  "fflush",
					  "fileno",
					  "flock",
					  "fopen",
					  "fork",
					  "free",
					  "freopen",
					  "fseek",
					  "fstat",
					  "fsync",
					  "ftell",
					  "ftruncate",
					  "getenv",
					  "getopt",
					  "getopt_long",
					  "getpagesize",
					  "getpid",
					  "getrusage",
					  "gettimeofday",
					  "getuid",
					  "gmtime",
					  "ioctl",
					  "isatty",
					  "kill",
					  "labs",
					  "listen",
					  "localtime",
					  "longjmp",
					  "lseek",
					  "lstat",
					  "madvise",
					  "malloc",
					  "memalign",
					  "mkdir",
					  "mktime",
					  "mprotect",
					  "msync",
					  "munmap",
					  "nanosleep",
					  "open",
					  "open64",
					  "openat",
					  "opendir",
					  "perror",
					  "pipe",
					  "poll",
					  "posix_fallocate",
					  "posix_memalign",
					  "printf",
					  "putchar",
					  "puts",
					  "raise",
					  "rand",
					  "random",
					  "readdir",
					  "realloc",
					  "reallocarray",
					  "remove",
					  "rename",
					  "rewind",
					  "rmdir",
					  "sched_yield",
					  "select",
					  "setlocale",
					  "setsockopt",
					  "setvbuf",
					  "shutdown",
					  "sigaction",
					  "sigemptyset",
					  "siglongjmp",
					  "signal",
					  "sigprocmask",
					  "sleep",
					  "socket",
					  "srand",
					  "srandom",
					  "stat",
					  "strerror",
					  "sysconf",
					  "system",
					  "time",
					  "tolower",
					  "toupper",
					  "truncate",
					  "umask",
					  "uname",
					  "unlink",
					  "usleep",
					  "valloc",
					  "wait",
					  "waitpid"};

bool pd_points_is_known(LLVMValueRef fn)
{
	const char *name = name_of(fn);

	if (!LLVMIsDeclaration(fn))
		return false;
	for (size_t i = 0; i < PD_LEN(known_prefixes); i++)
		if (starts(name, known_prefixes[i]))
			return true;
	for (size_t i = 0; i < PD_LEN(known_names); i++)
		if (strcmp(name, known_names[i]) == 0)
			return true;
	return pd_wrap_arguments(fn) || pd_sym_has_summary(fn);
}

/* Whether it maps a file. */
static bool is_mapping(LLVMValueRef call, const char *name)
{
	LLVMValueRef fd;

	if (strcmp(name, "mremap") == 0 || strcmp(name, "shmat") == 0)
		return true;
	if ((strcmp(name, "mmap") != 0 && strcmp(name, "mmap64") != 0) ||
	    LLVMGetNumArgOperands(call) != 6)
		return false;
	fd = LLVMGetOperand(call, 4);
	return !LLVMIsAConstantInt(fd) || LLVMConstIntGetSExtValue(fd) >= 0;
}

/* A returned pointer leads where an argument leads, as in strchr; not in malloc, which has no such
 * argument. */
static void known_call(struct pd_points *p, LLVMValueRef i, LLVMValueRef fn)
{
	const char *name = name_of(fn);
	bool copies = strstr(name, "mem") && LLVMGetNumArgOperands(i) >= 3 &&
		      has_pointers(LLVMTypeOf(LLVMGetOperand(i, 0))) &&
		      has_pointers(LLVMTypeOf(LLVMGetOperand(i, 1)));

	if (copies && strcmp(name, "posix_memalign") != 0)
		join(p, inside(p, to(p, LLVMGetOperand(i, 0))),
		     inside(p, to(p, LLVMGetOperand(i, 1))));
	for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++)
		same(p, i, LLVMGetOperand(i, k));
	if (strcmp(name, "pthread_create") == 0 && LLVMGetNumArgOperands(i) == 4)
		bind(p, pd_points_pointer_name(p, 1), PD_REACH_ARGUMENT,
		     to(p, LLVMGetOperand(i, 3)), false);
}

static void named_call(struct pd_points *p, LLVMValueRef i, uint32_t name)
{
	for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++)
		if (has_pointers(LLVMTypeOf(LLVMGetOperand(i, k))))
			bind(p, name, PD_REACH_ARGUMENT + k, to(p, LLVMGetOperand(i, k)), false);
	if (has_pointers(LLVMTypeOf(i)))
		bind(p, name, PD_REACH_RESULT, to(p, i), false);
}

static void own_call(struct pd_points *p, LLVMValueRef i, LLVMValueRef fn)
{
	for (unsigned k = 0; k < LLVMGetNumArgOperands(i) && k < LLVMCountParams(fn); k++)
		same(p, LLVMGetOperand(i, k), LLVMGetParam(fn, k));
	/* Arguments for `...` are read from memory about which nothing else is known */
	for (unsigned k = LLVMCountParams(fn); k < LLVMGetNumArgOperands(i); k++)
		if (has_pointers(LLVMTypeOf(LLVMGetOperand(i, k))))
			join(p, to(p, LLVMGetOperand(i, k)), keyed(p, 1));
	if (has_pointers(LLVMTypeOf(i)))
		join(p, to(p, i), result_of(p, fn));
}

static void intrinsic(struct pd_points *p, LLVMValueRef i, const char *name)
{
	if (starts(name, "llvm.memcpy") || starts(name, "llvm.memmove")) {
		join(p, inside(p, to(p, LLVMGetOperand(i, 0))),
		     inside(p, to(p, LLVMGetOperand(i, 1))));
		return;
	}
	/* The list leads to places that hold the arguments */
	if (starts(name, "llvm.va_start")) {
		join(p, inside(p, inside(p, to(p, LLVMGetOperand(i, 0)))), keyed(p, 1));
		return;
	}
	if (starts(name, "llvm.va_copy"))
		same(p, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1));
	if (starts(name, "llvm.masked.") && has_pointers(LLVMTypeOf(i)))
		mark(p, to(p, i));
	for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++)
		same(p, i, LLVMGetOperand(i, k));
}

static void call(struct pd_points *p, LLVMValueRef i)
{
	LLVMValueRef callee = LLVMGetCalledValue(i), fn = LLVMIsAFunction(callee);
	const char *name = fn ? name_of(fn) : "";

	if (LLVMIsAInlineAsm(callee)) {
		if (has_pointers(LLVMTypeOf(i)))
			mark(p, to(p, i));
	} else if (fn && LLVMGetIntrinsicID(fn)) {
		intrinsic(p, i, name);
	} else if (fn && !LLVMIsDeclaration(fn)) {
		own_call(p, i, fn);
	} else if (fn && is_mapping(i, name)) {
		mark(p, to(p, i));
	} else if (fn && pd_points_is_known(fn)) {
		known_call(p, i, fn);
	} else if (fn) {
		named_call(p, i, pd_points_name(p, name, strlen(name)));
	} else if (LLVMIsAGlobalAlias(callee)) {
		named_call(p, i, pd_points_name(p, name_of(callee), strlen(name_of(callee))));
	} else {
		named_call(p, i, pd_points_pointer_name(p, LLVMGetNumArgOperands(i)));
	}
}

/* ---- instructions ---------------------------------------------------------------------------- */

enum { DEPTH = 8 };

/* The pointer from which a number was computed; NULL: unknown. */
static LLVMValueRef pointer_behind(LLVMValueRef v, int depth)
{
	LLVMValueRef found = NULL;

	if (LLVMIsAPtrToIntInst(v) ||
	    (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMPtrToInt))
		return LLVMGetOperand(v, 0);
	if (!depth || !LLVMIsABinaryOperator(v))
		return NULL;
	for (unsigned k = 0; k < 2 && !found; k++)
		found = pointer_behind(LLVMGetOperand(v, k), depth - 1);
	return found;
}

static void from_number(struct pd_points *p, LLVMValueRef i)
{
	LLVMValueRef from = pointer_behind(LLVMGetOperand(i, 0), DEPTH);

	if (from)
		same(p, i, from);
	else if (!LLVMIsAConstantInt(LLVMGetOperand(i, 0)))
		mark(p, to(p, i));
}

static void store(struct pd_points *p, LLVMValueRef value, LLVMValueRef address)
{
	if (has_pointers(LLVMTypeOf(value)) && !LLVMIsAConstantPointerNull(value))
		join(p, to(p, value), inside(p, to(p, address)));
}

static void visit(struct pd_points *p, LLVMValueRef fn, LLVMValueRef i)
{
	switch ((int)LLVMGetInstructionOpcode(i)) {
	case LLVMLoad:
		if (has_pointers(LLVMTypeOf(i)))
			join(p, to(p, i), inside(p, to(p, LLVMGetOperand(i, 0))));
		return;
	case LLVMStore:
		store(p, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1));
		return;
	case LLVMAtomicCmpXchg:
		store(p, LLVMGetOperand(i, 2), LLVMGetOperand(i, 0));
		if (has_pointers(LLVMTypeOf(LLVMGetOperand(i, 2))))
			join(p, to(p, i), inside(p, to(p, LLVMGetOperand(i, 0))));
		return;
	case LLVMAtomicRMW:
		store(p, LLVMGetOperand(i, 1), LLVMGetOperand(i, 0));
		if (has_pointers(LLVMTypeOf(i)))
			join(p, to(p, i), inside(p, to(p, LLVMGetOperand(i, 0))));
		return;
	case LLVMIntToPtr:
		from_number(p, i);
		return;
	case LLVMCall:
	case LLVMInvoke:
	case LLVMCallBr:
		call(p, i);
		return;
	case LLVMRet:
		if (LLVMGetNumOperands(i) && has_pointers(LLVMTypeOf(LLVMGetOperand(i, 0))))
			join(p, to(p, LLVMGetOperand(i, 0)), result_of(p, fn));
		return;
	case LLVMPHI:
		for (unsigned k = 0; k < LLVMCountIncoming(i); k++)
			same(p, i, LLVMGetIncomingValue(i, k));
		return;
	case LLVMGetElementPtr:
		same(p, i, LLVMGetOperand(i, 0));
		return;
	case LLVMAlloca:
	case LLVMICmp:
	case LLVMBr:
	case LLVMSwitch:
		return;
	default: /* select, casts, parts of structs and vectors */
		if (has_pointers(LLVMTypeOf(i)))
			for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++)
				same(p, i, LLVMGetOperand(i, k));
	}
}

/* ---- the module ------------------------------------------------------------------------------ */

bool pd_points_is_pointer(LLVMValueRef fn)
{
	for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);

		if ((!LLVMIsACallInst(user) && !LLVMIsAInvokeInst(user)) ||
		    LLVMGetCalledValue(user) != fn)
			return true;
	}
	return false;
}

static void bind_function(struct pd_points *p, LLVMValueRef fn, uint32_t name)
{
	LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(fn));

	for (unsigned k = 0; k < LLVMCountParams(fn); k++)
		if (has_pointers(LLVMTypeOf(LLVMGetParam(fn, k))))
			bind(p, name, PD_REACH_ARGUMENT + k, to(p, LLVMGetParam(fn, k)), true);
	if (has_pointers(result))
		bind(p, name, PD_REACH_RESULT, result_of(p, fn), true);
}

static bool is_local(LLVMValueRef global)
{
	LLVMLinkage l = LLVMGetLinkage(global);

	return l == LLVMInternalLinkage || l == LLVMPrivateLinkage;
}

static void visit_function(struct pd_points *p, LLVMValueRef fn)
{
	const char *name = name_of(fn);

	if (!is_local(fn))
		bind_function(p, fn, pd_points_name(p, name, strlen(name)));
	if (pd_points_is_pointer(fn))
		bind_function(p, fn, pd_points_pointer_name(p, LLVMCountParams(fn)));
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			visit(p, fn, i);
}

/* Pointers in the initial value of a variable. */
static void initial(struct pd_points *p, LLVMValueRef variable, LLVMValueRef v)
{
	if (!has_pointers(LLVMTypeOf(v)) || LLVMIsNull(v) || LLVMIsUndef(v))
		return;
	if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind) {
		if (!LLVMIsAFunction(v))
			store(p, v, variable);
		return;
	}
	for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++)
		initial(p, variable, LLVMGetOperand(v, k));
}

static void visit_variable(struct pd_points *p, LLVMValueRef g)
{
	const char *name = name_of(g);
	LLVMValueRef init = LLVMGetInitializer(g);

	if (starts(name, "llvm.") || starts(name, "__pd_"))
		return;
	if (init)
		initial(p, g, init);
	/* The class of the variable itself: pointers in it are its contents */
	if (!is_local(g))
		bind(p, pd_points_name(p, name, strlen(name)), PD_REACH_VARIABLE, to(p, g), true);
}

void pd_points_find(struct pd_points *p, struct pd_ir *m)
{
	*p = (struct pd_points){.m = m};
	push_bytes(p, "", 0);
	mark(p, keyed(p, 1)); /* arguments for `...` */
	for (LLVMValueRef g = LLVMGetFirstGlobal(m->mod); g; g = LLVMGetNextGlobal(g))
		visit_variable(p, g);
	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn))
		if (!LLVMIsDeclaration(fn))
			visit_function(p, fn);
}

/* ---- what is changed ------------------------------------------------------------------------- */

/* The argument that an intrinsic changes or flushes; -1: none. */
static int changed_by_intrinsic(const char *name)
{
	static const struct {
		const char *prefix;
		int argument;
	} all[] = {
		{"llvm.memcpy", 0},
		{"llvm.memmove", 0},
		{"llvm.memset", 0},
		{"llvm.masked.store", 1},
		{"llvm.masked.scatter", 1},
		{"llvm.masked.compressstore", 1},
		{"llvm.x86.directstore", 0},
		{"llvm.x86.movdir64b", 0},
		{"llvm.x86.sse2.maskmov.dqu", 2},
		{"llvm.x86.sse2.clflush", 0},
		{"llvm.x86.clflushopt", 0},
		{"llvm.x86.clwb", 0},
	};

	for (size_t i = 0; i < PD_LEN(all); i++)
		if (starts(name, all[i].prefix))
			return all[i].argument;
	return -1;
}

static int first_pointer(LLVMValueRef i)
{
	for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++)
		if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, k))) == LLVMPointerTypeKind)
			return (int)k;
	return -1;
}

static int changed_by_call(LLVMValueRef i)
{
	LLVMValueRef callee = LLVMGetCalledValue(i), fn = LLVMIsAFunction(callee);
	const char *letters;
	size_t k;

	if (LLVMIsAInlineAsm(callee))
		return first_pointer(i);
	if (!fn)
		return -1;
	if (LLVMGetIntrinsicID(fn))
		return changed_by_intrinsic(name_of(fn));
	letters = pd_wrap_arguments(fn);
	k = letters ? strcspn(letters, "wm") : 0;
	return letters && letters[k] && k < LLVMGetNumArgOperands(i) ? (int)k : -1;
}

static int changed_operand(LLVMValueRef i)
{
	switch ((int)LLVMGetInstructionOpcode(i)) {
	case LLVMStore:
		return 1;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		return 0;
	case LLVMCall:
	case LLVMInvoke:
	case LLVMCallBr:
		return changed_by_call(i);
	default:
		return -1;
	}
}

uint32_t pd_points_changed(struct pd_points *p, LLVMValueRef inst)
{
	int k = changed_operand(inst);

	if (k < 0 || !has_pointers(LLVMTypeOf(LLVMGetOperand(inst, (unsigned)k))))
		return PD_REACH_NONE;
	return to(p, LLVMGetOperand(inst, (unsigned)k));
}
