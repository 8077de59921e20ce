/*
 * unusual.c - the input takes a way that nobody expects; WAY (the argument) says which. "found" is printed on
 * some inputs and not on others.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static unsigned char in[2];
static unsigned char copy[2];

static void get(void)
{
	if (read(0, in, 2) != 2)
		exit(3);
}

/* ---- standard input, by other functions ---------------------------------------------------------- */

static int scan(const char *format, ...)
{
	va_list a;
	int r;

	va_start(a, format);
	r = vfscanf(stdin, format, a);
	va_end(a);
	return r;
}

static int by_list(void)
{
	int n;

	return scan("%d", &n) == 1 && n == 42;
}

static int by_word(void)
{
	return getw(stdin) == -1;
}

static int by_wide_character(void)
{
	return getwchar() == L'q' && getwchar() == L'r';
}

static int by_wide_number(void)
{
	int n;

	return wscanf(L"%d", &n) == 1 && n == 7;
}

static int by_wide_line(void)
{
	wchar_t s[4];

	return fgetws(s, 4, stdin) && s[0] == L'q' && !feof(stdin) && getwchar() == WEOF &&
	       feof(stdin);
}

/* ---- around the compiler's view of memory ----------------------------------------------------------- */

static int by_assembly(void)
{
	unsigned char *from = in, *to = copy;
	size_t n = 2;

	get();
	__asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(n) : : "memory");
	return copy[1] == 'q';
}

static int by_own_memory(void)
{
	int fd = open("/proc/self/mem", O_RDONLY);

	get();
	return pread(fd, copy, 2, (off_t)(uintptr_t)in) == 2 && copy[1] == 'q';
}

/* Zeros behind the end of a file need not be stored; bytes of the input are not always zeros. */
static int by_growing_file(void)
{
	int fd = memfd_create("grows", 0);
	unsigned char *p;

	get();
	if (write(fd, in, 2) != 2)
		exit(3);
	p = mmap(NULL, 2, PROT_READ, MAP_SHARED, fd, 0);
	return p != MAP_FAILED && p[1] == 'q';
}

static int by_mapped_file(void)
{
	FILE *f = tmpfile();
	unsigned char *p;

	if (!f || ftruncate(fileno(f), 4096))
		exit(3);
	p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fileno(f), 0);
	get();
	if (p == MAP_FAILED || fwrite(in, 1, 2, f) != 2 || fflush(f))
		exit(3);
	return p[1] == 'q';
}

static int end[2];

static void make_pipe(void)
{
	get();
	if (pipe(end))
		exit(3);
}

static int by_vector(void)
{
	struct iovec v[2] = {{in, 1}, {in + 1, 1}};

	make_pipe();
	return writev(end[1], v, 2) == 2 && read(end[0], copy, 2) == 2 && copy[1] == 'q';
}

static int by_message(void)
{
	struct iovec v = {in, 2};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};

	get();
	return socketpair(AF_UNIX, SOCK_DGRAM, 0, end) == 0 && sendmsg(end[0], &m, 0) == 2 &&
	       recv(end[1], copy, 2, 0) == 2 && copy[1] == 'q';
}

static int by_kernel(void)
{
	FILE *f = tmpfile(), *to = tmpfile();

	get();
	return write(fileno(f), in, 2) == 2 && lseek(fileno(f), 0, SEEK_SET) == 0 &&
	       sendfile(fileno(to), fileno(f), NULL, 2) == 2 &&
	       pread(fileno(to), copy, 2, 0) == 2 && copy[1] == 'q';
}

static int by_second_address(void)
{
	int id = shmget(IPC_PRIVATE, 4096, 0600 | IPC_CREAT);
	char *a = shmat(id, NULL, 0), *b = shmat(id, NULL, 0);

	shmctl(id, IPC_RMID, NULL);
	get();
	a[9] = (char)in[0];
	return b[9] == 'q';
}

static void handle(int number, siginfo_t *info, void *context)
{
	(void)number, (void)context;
	if ((uintptr_t)info->si_addr == 'q')
		puts("found");
	exit(0);
}

static int by_fault(void)
{
	struct sigaction a = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};

	sigaction(SIGSEGV, &a, NULL);
	get();
	*(volatile char *)(uintptr_t)in[0] = 1;
	return 0;
}

/* ---- threads ------------------------------------------------------------------------------------------ */

static void *return_bits(void *unused)
{
	(void)unused;
	return (void *)(uintptr_t)(in[0] & 3);
}

static void *exit_with_bits(void *unused)
{
	(void)unused;
	pthread_exit((void *)(uintptr_t)(in[0] & 3));
}

static int by_thread(void *(*f)(void *))
{
	pthread_t t;
	void *r;

	get();
	if (pthread_create(&t, NULL, f, NULL) || pthread_join(t, &r))
		exit(3);
	return r == (void *)2;
}

static int by_result(void)
{
	return by_thread(return_bits);
}

static int by_thread_exit(void)
{
	return by_thread(exit_with_bits);
}

/* ---- formats --------------------------------------------------------------------------------------------- */

static int by_format(void)
{
	char format[] = "%.", text[400];

	get();
	format[1] = (char)('c' + (in[0] & 1)) /* %c or %d */;
	snprintf(text, sizeof(text), format, 65);
	return text[0] == 'A';
}

/* The call moves the list on. */
static int print_to(char *to, size_t n, const char *format, ...)
{
	int (*volatile print)(char *, size_t, const char *, va_list) = vsnprintf;
	va_list a;
	int r;

	va_start(a, format);
	r = print(to, n, format, a);
	va_end(a);
	return r;
}

static int by_print_list(void)
{
	char text[32];

	get();
	print_to(text, sizeof(text), "%s%d%c", "some", 7, in[0]);
	return text[5] == 'q';
}

/* Which text it is depends on the input, not what the text is. */
static int by_text(void)
{
	char text[8];

	get();
	snprintf(text, sizeof(text), "%s", in[0] == 'q' ? "found" : "other");
	return text[0] == 'f';
}

static int by_target(void)
{
	int n[2] = {0}, *to[2] = {&n[0], &n[1]};

	get();
	return sscanf("5", "%d", to[in[0] == 'q']) == 1 && n[1];
}

/* ---- files: how long they become, what a stream has put into them --------------------------------- */

static int by_length(void)
{
	FILE *f = tmpfile();

	get();
	return f && fprintf(f, "%d", in[0]) > 0 && ftell(f) == 3;
}

static int by_length_of_string(void)
{
	char s[] = {'a', 0, 0};
	FILE *f = tmpfile();

	get();
	s[1] = (char)in[0];
	return f && fputs(s, f) >= 0 && ftell(f) == 2;
}

static int by_stream(void)
{
	FILE *f = fopen("unusual.txt", "w+");
	int fd = open("unusual.txt", O_RDONLY);

	get();
	return f && fwrite(in, 1, 2, f) == 2 && fflush(f) == 0 && read(fd, copy, 2) == 2 &&
	       copy[1] == 'q';
}

static int by_descriptor(void)
{
	int fd = memfd_create("text", 0);

	get();
	return dprintf(fd, "%c%c", in[0], in[1]) == 2 && pread(fd, copy, 2, 0) == 2 &&
	       copy[1] == 'q';
}

/* ---- structs that the library reads --------------------------------------------------------------- */

static int by_date(void)
{
	struct tm *t = calloc(1, sizeof(*t));

	get();
	t->tm_mday = 1;
	t->tm_mon = in[0] % 12;
	mktime(t);
	return t->tm_wday == 3;
}

static int by_format_of_date(void)
{
	struct tm t = {0};
	char text[8];

	get();
	t.tm_mon = in[0] % 12;
	strftime(text, sizeof(text), "%b", &t);
	return text[0] == 'M';
}

static int by_thread_name(void)
{
	char name[16] = "none";

	get();
	name[1] = (char)in[0];
	pthread_setname_np(pthread_self(), name);
	pthread_getname_np(pthread_self(), name, sizeof(name));
	return name[1] == 'q';
}

static int by_error(void)
{
	get();
	return strcmp(strerror(in[0]), "Permission denied") == 0;
}

static void see_status(int status, void *unused)
{
	(void)unused;
	if (status == 'q')
		puts("found");
	fflush(stdout);
}

static int by_exit(void)
{
	on_exit(see_status, NULL);
	get();
	exit(in[0]);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} way[] = {
		{"list", by_list},
		{"word", by_word},
		{"wide-character", by_wide_character},
		{"wide-number", by_wide_number},
		{"wide-line", by_wide_line},
		{"assembly", by_assembly},
		{"own-memory", by_own_memory},
		{"growing-file", by_growing_file},
		{"mapped-file", by_mapped_file},
		{"vector", by_vector},
		{"message", by_message},
		{"kernel", by_kernel},
		{"second-address", by_second_address},
		{"fault", by_fault},
		{"result", by_result},
		{"thread-exit", by_thread_exit},
		{"format", by_format},
		{"print-list", by_print_list},
		{"text", by_text},
		{"target", by_target},
		{"length", by_length},
		{"string-length", by_length_of_string},
		{"stream", by_stream},
		{"descriptor", by_descriptor},
		{"date", by_date},
		{"format-of-date", by_format_of_date},
		{"thread-name", by_thread_name},
		{"error", by_error},
		{"exit", by_exit},
	};

	for (size_t i = 0; argc == 2 && i < sizeof(way) / sizeof(way[0]); i++)
		if (strcmp(way[i].name, argv[1]) == 0 && way[i].run())
			puts("found");
	return 0;
}
