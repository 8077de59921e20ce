/*
 * wraps_body.h - one use or more of every function of cc/crash/wrap.def, on memory m, results to the log.
 *
 * Included twice by wraps.c: with F(x) as libc's x on ordinary memory, and as the wrapper on PM.
 * Pointers are logged as distances from m.
 */

static void BODY(memory)(char *m)
{
	for (int i = 0; i < 512; i++)
		m[i] = (char)(i * 7 + 3);
	P(F(memcpy)(m + 600, m, 100));
	P(F(memcpy)(m + 701, m + 3, 29));
	P(F(memmove)(m + 10, m, 200));
	P(F(memmove)(m, m + 10, 200));
	P(F(memmove)(m + 4096 - 50, m, 100));
	P(F(mempcpy)(m + 800, m + 1, 33));
	P(F(__mempcpy)(m + 840, m + 1, 33));
	F(bcopy)(m + 5, m + 900, 17);
	P(F(memset)(m + 1000, 0x5a, 77));
	F(bzero)(m + 1010, 9);
	F(explicit_bzero)(m + 1030, 9);
	F(swab)(m, m + 1100, 21);
	P(F(memccpy)(m + 1200, m, m[20], 100));
	P(F(memccpy)(m + 1300, m + 1000, 1, 5));
	I(F(memcmp)(m, m, 300));
	I(F(memcmp)(m + 1, m + 2, 100) > 0);
	I(F(memcmp)("abc", strcpy(m + 1400, "abd"), 3) < 0);
	I(F(bcmp)(m, m + 1, 10) != 0);
	I(F(__memcmpeq)(m, m + 1, 10) != 0);
	P(F(memfrob)(m + 1720, 30));
	P(F(memchr)(m, m[100], 512));
	P(F(memchr)(m, m[100], 2));
	P(F(memrchr)(m, m[100], 512));
	P(F(memrchr)(m, 'x', 0));
	P(F(rawmemchr)(m, m[33]));
	P(F(memmem)(m, 512, m + 77, 5));
	P(F(memmem)(m, 512, "nowhere", 7));
	P(F(__memcpy_chk)(m + 1500, m, 50, 60));
	P(F(__memmove_chk)(m + 1510, m + 1500, 50, 60));
	P(F(__mempcpy_chk)(m + 1600, m, 50, 60));
	P(F(__memset_chk)(m + 1700, 1, 50, 60));
	F(__explicit_bzero_chk)(m + 1710, 10, 60);
}

static void BODY(strings)(char *m)
{
	char *a = m, *b = m + 100, *save = NULL, **where = (char **)(m + 3000), *t;

	P(F(strcpy)(a, "hello, world"));
	P(F(strcpy)(b, a));
	P(F(stpcpy)(m + 200, a));
	P(F(strncpy)(m + 300, a, 5));
	P(F(strncpy)(m + 320, a, 30));
	P(F(stpncpy)(m + 360, a, 30));
	P(F(stpncpy)(m + 400, a, 3));
	P(F(__stpcpy)(m + 440, a));
	P(F(__stpncpy)(m + 460, a, 3));
	I(NEWER(F(strlcpy), ref_strlcpy)(m + 1200, a, 6));
	I(NEWER(F(strlcpy), ref_strlcpy)(m + 1220, a, 60));
	I(NEWER(F(strlcat), ref_strlcat)(m + 1200, a, 20));
	I(NEWER(F(strlcat), ref_strlcat)(m + 1220, a, 3));
	I(NEWER(F(__strlcpy_chk), ref_strlcpy_chk)(m + 1300, a, 6, 10));
	I(NEWER(F(__strlcat_chk), ref_strlcat_chk)(m + 1300, a, 9, 10));
	P(F(strcat)(b, "; and more"));
	P(F(strncat)(b, "xyz", 2));
	P(F(strncat)(b, "xyz", 20));
	I(F(strlen)(b));
	I(F(strnlen)(b, 4));
	I(F(strnlen)(b, 400));
	I(F(strcmp)(a, b) < 0);
	I(F(strcmp)(a, a));
	I(F(strcmp)(a, "hello") > 0);
	I(F(strncmp)(a, b, 12));
	I(F(strncmp)("hellp", a, 5) > 0);
	I(F(strcasecmp)(a, "HELLO, WORLD"));
	I(F(strncasecmp)(a, "HELLO ", 6) != 0);
	I(F(strcoll)(a, b) < 0);
	I(F(strcoll_l)(a, b, newlocale(LC_ALL_MASK, "C", 0)) < 0);
	I(F(strcasecmp_l)(a, "HELLO, WORLD", newlocale(LC_ALL_MASK, "C", 0)));
	I(F(strncasecmp_l)(a, "HELLO ", 6, newlocale(LC_ALL_MASK, "C", 0)) != 0);
	I(F(strverscmp)(strcpy(m + 1400, "file-9"), "file-10") < 0);
	I(F(strxfrm)(m + 1420, a, 50));
	I(F(strxfrm)(m + 1480, a, 5));
	memset(m + 1480, 0, 5); /* what is there then is not specified */
	P(F(strchr)(a, 'w'));
	P(F(strchr)(a, 'z'));
	P(F(strchr)(a, 0));
	P(F(strrchr)(a, 'o'));
	P(F(strrchr)(a, 0));
	P(F(strchrnul)(a, 'z'));
	P(F(index)(a, 'l'));
	P(F(rindex)(a, 'l'));
	P(F(strstr)(b, a));
	P(F(strstr)(a, "nothing"));
	P(F(strcasestr)(a, "WOR"));
	I(F(strspn)(a, "ehl"));
	I(F(strcspn)(a, ","));
	P(F(strpbrk)(a, "wr"));
	P(F(strpbrk)(a, "ZQ"));
	strcpy(m + 500, ",,one,two;,three,");
	for (t = F(strtok)(m + 500, ",;"); t; t = F(strtok)(NULL, ",;"))
		P(t), S(t);
	strcpy(m + 600, "  a b ");
	for (t = F(strtok_r)(m + 600, " ", &save); t; t = F(strtok_r)(NULL, " ", &save))
		P(t), S(t);
	P(save);
	strcpy(m + 650, "c d");
	P(F(__strtok_r)(m + 650, " ", &save)), P(save);
	strcpy(m + 700, "x::y:");
	*where = m + 700;
	while ((t = F(strsep)(where, ":")))
		P(t), S(t);
	*where = NULL; /* differs by address otherwise */
	t = F(strdup)(a), S(t), free(t);
	t = F(strndup)(a, 4), S(t), free(t);
	t = F(__strdup)(a), S(t), free(t);
	P(F(__strcpy_chk)(m + 800, a, 100));
	P(F(__stpcpy_chk)(m + 900, a, 100));
	P(F(__strncpy_chk)(m + 1000, a, 20, 100));
	P(F(__stpncpy_chk)(m + 1100, a, 20, 100));
	P(F(__strcat_chk)(m + 800, "!", 100));
	P(F(__strncat_chk)(m + 800, "???", 2, 100));
}

static void BODY(wide)(char *m)
{
	wchar_t *w = (wchar_t *)m, *v = w + 200;

	P(F(wcscpy)(w, L"wide text"));
	P(F(wcsncpy)(v, w, 20));
	P(F(wcsncpy)(v + 30, w, 4));
	I(F(wcslen)(w));
	I(F(wcscmp)(w, v));
	I(F(wcscmp)(w, L"wider") < 0);
	P(F(wmemcpy)(w + 50, w, 9));
	P(F(wmemmove)(w + 52, w + 50, 9));
	P(F(wmemset)(w + 80, L'x', 7));
	I(F(wmemcmp)(w, w + 50, 9) != 0);
	P(F(wmemchr)(w, L't', 9));
	P(F(wmempcpy)(w + 90, w, 9));
	P(F(wcpcpy)(w + 100, w));
	P(F(wcpncpy)(w + 110, w, 4));
	P(F(wcpncpy)(w + 120, w, 12));
	P(F(wcscat)(w + 100, L"++"));
	P(F(wcsncat)(w + 100, L"+-+", 2));
	I(F(wcsnlen)(w, 3));
	I(F(wcsncmp)(w, L"wider", 4));
	I(F(wcsncmp)(w, L"wider", 5) < 0);
	I(F(wcscasecmp)(w, L"WIDE text"));
	I(F(wcsncasecmp)(w, L"WIDER", 5) < 0);
	I(F(wcscoll)(w, L"wider") < 0);
	I(F(wcsxfrm)(w + 140, w, 30));
	P(F(wcschr)(w, L'e'));
	P(F(wcschr)(w, L'z'));
	P(F(wcsrchr)(w, L'e'));
	P(F(wcschrnul)(w, L'z'));
	I(F(wcsspn)(w, L"diw"));
	I(F(wcscspn)(w, L" "));
	P(F(wcspbrk)(w, L"tx"));
	P(F(wcspbrk)(w, L"QZ"));
	P(F(wcsstr)(w, L"text"));
	P(F(wcswcs)(w, L"nothing"));
	wcscpy(w + 170, L",one,,two");
	for (wchar_t *rest = NULL, *t = F(wcstok)(w + 170, L",", &rest); t; t = F(wcstok)(NULL, L",", &rest))
		P(t), I(wcslen(t));
	I(wcslen(F(wcsdup)(w)));
	P(F(__wmemcpy_chk)(v + 40, w, 3, 9));
	P(F(__wmemmove_chk)(v + 50, w, 3, 9));
	P(F(__wmempcpy_chk)(v + 60, w, 3, 9));
	P(F(__wmemset_chk)(v + 70, L'y', 3, 9));
	P(F(__wcscpy_chk)(v + 80, w, 20));
	P(F(__wcpcpy_chk)(v + 100, w, 20));
	P(F(__wcsncpy_chk)(v + 120, w, 12, 20));
	P(F(__wcpncpy_chk)(v + 140, w, 12, 20));
	P(F(__wcscat_chk)(v + 80, L"??", 20));
	P(F(__wcsncat_chk)(v + 80, L"??", 1, 20));
	I(F(mbstowcs)(v + 160, strcpy(m + 4000, "some bytes"), 30));
	I(F(mbstowcs)(v + 200, m + 4000, 4));
	I(F(mbstowcs)(NULL, m + 4000, 0));
	I(F(__mbstowcs_chk)(v + 210, m + 4000, 30, 40));
	I(F(wcstombs)(m + 4100, w, 30));
	I(F(wcstombs)(m + 4200, w, 4));
	I(F(__wcstombs_chk)(m + 4300, w, 30, 40));
}

static void BODY(wide_numbers)(char *m)
{
	wchar_t *w = (wchar_t *)m, *end, **pmend = (wchar_t **)(m + 2000);

	wcscpy(w, L"  -123abc");
	wcscpy(w + 50, L"3.25e2,4");
	I(F(wcstol)(w, &end, 10)), P(end);
	I(F(wcstoll)(w, &end, 16)), P(end);
	I(F(wcstoul)(w + 50, &end, 0)), P(end);
	I(F(wcstoull)(w + 50, pmend, 0)), P(*pmend);
	I(F(wcstoimax)(w, &end, 0)), P(end);
	I(F(wcstoumax)(w + 50, NULL, 0));
	D(F(wcstod)(w + 50, &end)), P(end);
	D(F(wcstof)(w + 50, &end)), P(end);
	D(F(wcstold)(w + 50, &end)), P(end);
	I(NEWER(F(__isoc23_wcstol), wcstol)(w, &end, 10)), P(end);
	I(NEWER(F(__isoc23_wcstoll), wcstoll)(w, &end, 16)), P(end);
	I(NEWER(F(__isoc23_wcstoul), wcstoul)(w + 50, &end, 0)), P(end);
	I(NEWER(F(__isoc23_wcstoull), wcstoull)(w + 50, pmend, 0)), P(*pmend);
	I(NEWER(F(__isoc23_wcstoimax), wcstoimax)(w, &end, 0)), P(end);
	I(NEWER(F(__isoc23_wcstoumax), wcstoumax)(w + 50, NULL, 0));
	*pmend = NULL;
}

static int BODY(by_int)(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int BODY(by_int_r)(const void *a, const void *b, void *sign)
{
	return (*(const int *)a - *(const int *)b) * *(int *)sign;
}

static void BODY(numbers)(char *m)
{
	char *end;
	char **pmend = (char **)(m + 2000);
	int *v = (int *)(m + 3000), minus = -1;

	strcpy(m, "  -123abc");
	strcpy(m + 100, "0x7fffz 12");
	strcpy(m + 200, "3.25e2,4");
	strcpy(m + 300, "99999999999999999999999");
	I(F(atoi)(m));
	I(F(atol)(m));
	I(F(atoll)(m));
	D(F(atof)(m + 200));
	I(F(strtol)(m, &end, 10)), P(end);
	I(F(strtoll)(m + 100, &end, 0)), P(end);
	I(F(strtoul)(m + 100, &end, 16)), P(end);
	errno = 0;
	I(F(strtoull)(m + 300, &end, 10)), P(end), I(errno);
	D(F(strtod)(m + 200, &end)), P(end);
	D(F(strtof)(m + 200, pmend)), P(*pmend);
	I(F(strtoimax)(m, &end, 10)), P(end);
	I(F(strtoumax)(m + 100, &end, 0)), P(end);
	I(F(strtoq)(m, &end, 10)), P(end);
	I(F(strtouq)(m + 100, &end, 0)), P(end);
	D(F(strtold)(m + 200, pmend)), P(*pmend);
	I(NEWER(F(__isoc23_strtol), strtol)(m, &end, 10)), P(end);
	I(NEWER(F(__isoc23_strtoll), strtoll)(m + 100, &end, 0)), P(end);
	I(NEWER(F(__isoc23_strtoul), strtoul)(m + 100, &end, 16)), P(end);
	I(NEWER(F(__isoc23_strtoull), strtoull)(m, &end, 10)), P(end);
	I(NEWER(F(__isoc23_strtoimax), strtoimax)(m, pmend, 10)), P(*pmend);
	I(NEWER(F(__isoc23_strtoumax), strtoumax)(m + 100, NULL, 0));
	I(F(strfromd)(m + 400, 20, strcpy(m + 440, "%.3f"), 1.5));
	I(F(strfromf)(m + 420, 3, "%.3f", 1.5f));
	I(F(strfroml)(m + 460, 20, "%g", 2.5L));
	I(F(a64l)(strcpy(m + 500, "v/x")));
	*pmend = NULL;
	for (int i = 0; i < 100; i++)
		v[i] = i * 37 % 101;
	F(qsort)(v, 100, sizeof(*v), BODY(by_int));
	F(qsort_r)(v + 10, 50, sizeof(*v), BODY(by_int_r), &minus);
	*(size_t *)(m + 2100) = 10, *(int *)(m + 2200) = 1000;
	P(F(lfind)(m + 2200, v, (size_t *)(m + 2100), sizeof(*v), BODY(by_int)));
	P(F(lsearch)(m + 2200, v, (size_t *)(m + 2100), sizeof(*v), BODY(by_int)));
	P(F(lsearch)(m + 2200, v, (size_t *)(m + 2100), sizeof(*v), BODY(by_int)));
}

static void BODY(misc)(char *m)
{
	unsigned short *state = (unsigned short *)(m + 200);
	time_t *t = (time_t *)(m + 300);
	struct tm *tm = (struct tm *)(m + 320);

	srand48(1); /* what lcong48 has set is forgotten */
	D(F(frexp)(10.5, (int *)m)), I(*(int *)m);
	D(F(frexpf)(10.5f, (int *)m)), I(*(int *)m);
	D(F(frexpl)(10.5L, (int *)m)), I(*(int *)m);
	D(F(modf)(10.5, (double *)(m + 16)));
	D(F(modff)(10.5f, (float *)(m + 24)));
	D(F(modfl)(10.5L, (long double *)(m + 32)));
	D(F(lgamma_r)(3.5, (int *)(m + 48)));
	D(F(lgammaf_r)(3.5f, (int *)(m + 52)));
	D(F(lgammal_r)(3.5L, (int *)(m + 56)));
	D(F(remquo)(10, 3, (int *)(m + 60)));
	D(F(remquof)(10, 3, (int *)(m + 64)));
	D(F(remquol)(10, 3, (int *)(m + 68)));
	F(sincos)(1, (double *)(m + 80), (double *)(m + 88));
	F(sincosf)(1, (float *)(m + 96), (float *)(m + 100));
	F(sincosl)(1, (long double *)(m + 112), (long double *)(m + 128));
	memset(m + 42, 0, 6), memset(m + 122, 0, 6), memset(m + 138, 0, 6); /* padding of long double */
	I(F(rand_r)((unsigned *)(m + 196)));
	D(F(erand48)(state)), I(F(nrand48)(state)), I(F(jrand48)(state));
	I(F(seed48)(state) != NULL), I(lrand48());
	memset(state + 3, 1, 8), F(lcong48)(state), I(lrand48());
	*t = 86400 * 365;
	I(F(gmtime)(t)->tm_year), I(F(localtime)(t)->tm_mon);
	S(F(ctime)(t)), P(F(ctime_r)(t, m + 400));
	gmtime_r(t, tm), tm->tm_zone = NULL;
	S(F(asctime)(tm)), P(F(asctime_r)(tm, m + 500));
	tm->tm_mday = 40;
	I(F(timegm)(tm)), I(F(mktime)(tm)), I(F(timelocal)(tm));
	P(F(strptime)(strcpy(m + 600, "2001-02-03 rest"), strcpy(m + 620, "%Y-%m-%d"), tm));
	tm->tm_zone = NULL;
	I(F(inet_addr)(strcpy(m + 700, "1.2.3.4")));
	I(F(inet_aton)(m + 700, (struct in_addr *)(m + 720)));
	I(F(inet_pton)(AF_INET6, strcpy(m + 740, "::1:2"), m + 760));
	S(F(inet_ntop)(AF_INET6, m + 760, m + 780, 50)), S(m + 780);
	P(F(inet_ntop)(AF_INET, m + 760, m + 840, 2));
}

static int BODY(vcalls)(int which, char *m, FILE *f, int fd, const char *fmt, ...)
{
	va_list ap;
	char *out = NULL;
	int r = 0;

	va_start(ap, fmt);
	switch (which) {
	case 0:
		r = F(vsprintf)(m, fmt, ap);
		break;
	case 1:
		r = F(vsnprintf)(m, 12, fmt, ap);
		break;
	case 2:
		r = F(__vsprintf_chk)(m, 0, 1000, fmt, ap);
		break;
	case 3:
		r = F(__vsnprintf_chk)(m, 12, 0, 1000, fmt, ap);
		break;
	case 4:
		r = F(vasprintf)(&out, fmt, ap);
		break;
	case 5:
		r = F(__vasprintf_chk)(&out, 0, fmt, ap);
		break;
	case 6:
		r = F(vfprintf)(f, fmt, ap);
		break;
	case 7:
		r = F(__vfprintf_chk)(f, 0, fmt, ap);
		break;
	case 8:
		r = F(vdprintf)(fd, fmt, ap);
		break;
	case 9:
		r = F(__vdprintf_chk)(fd, 0, fmt, ap);
		break;
	case 10:
		r = F(vprintf)(fmt, ap);
		break;
	case 11:
		r = F(__vprintf_chk)(0, fmt, ap);
		break;
	case 12:
		r = F(vsscanf)(m, fmt, ap);
		break;
	case 13:
		r = F(__isoc99_vsscanf)(m, fmt, ap);
		break;
	case 14:
		r = NEWER(F(__isoc23_vsscanf), __isoc99_vsscanf)(m, fmt, ap);
		break;
	case 15:
		r = F(vfscanf)(f, fmt, ap);
		break;
	case 16:
		r = F(__isoc99_vfscanf)(f, fmt, ap);
		break;
	case 17:
		r = NEWER(F(__isoc23_vfscanf), __isoc99_vfscanf)(f, fmt, ap);
		break;
	case 18:
		r = F(vscanf)(fmt, ap);
		break;
	case 19:
		r = F(__isoc99_vscanf)(fmt, ap);
		break;
	case 20:
		r = NEWER(F(__isoc23_vscanf), __isoc99_vscanf)(fmt, ap);
		break;
	}
	va_end(ap);
	if (out)
		S(out), free(out);
	return r;
}

static void BODY(print)(char *m)
{
	FILE *f = tmpfile();
	char *out, *s = m + 2000, big[700], line[2000];
	int fd = fileno(f), n;

	memset(big, 'b', sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	strcpy(s, "a string");
	memcpy(s + 100, "no end", 6), s[106] = 'X';
	I(F(sprintf)(m, "%s|%5d|%-4u|%c|%%|%lx|%p|%.3s|%*s|%.*s", s, -42, 7u, 'c', 255L, (void *)16,
		     s, 12, s, 6, s + 100));
	I(F(sprintf)(m + 100, "%g %Lf %e %d %s %d %d %d %d %d %f", 1.5, 2.5L, 3.5, 1, s, 2, 3, 4, 5,
		     6, 9.25));
	I(F(sprintf)(m + 200, "%2$s %1$d", 5, s));
	I(F(snprintf)(m + 300, 10, "%s %s", s, s));
	I(F(snprintf)(m + 400, 0, "%s", s));
	I(F(snprintf)(m + 500, 1000, "%s", big));
	I(F(sprintf)(m + 1300, "%s%n..", s, (int *)(m + 1400)));
	I(F(sprintf)(m + 1500, "%hhd %hd %zd %jd %td %s", (char)-1, (short)-2, (size_t)3,
		     (intmax_t)4, (ptrdiff_t)5, (char *)NULL));
	errno = ENOENT;
	I(F(sprintf)(m + 1600, "%m %s", s));
	I(F(sprintf)(m + 1700, strcpy(m + 1800, "a format in %s"), "memory"));
	I(F(__sprintf_chk)(m + 1850, 0, 100, "%s.", s));
	I(F(__snprintf_chk)(m + 1900, 5, 0, 100, "%s.", s));
	I(F(asprintf)(&out, "%s+%d", s, 1)), S(out), free(out);
	I(F(__asprintf_chk)(&out, 0, "%s+%d", s, 2)), S(out), free(out);
	for (int i = 0; i < 6; i++)
		I(BODY(vcalls)(i, m + 2200 + i * 100, NULL, 0, "<%s> %d %.1f", s, i, 2.5));
	I(F(fprintf)(f, "%s %d\n", s, 1));
	I(F(__fprintf_chk)(f, 0, "%s %d\n", s, 2));
	I(F(fputs)(s, f));
	for (int i = 6; i < 8; i++)
		I(BODY(vcalls)(i, m, f, fd, "[%s] %d\n", s, i));
	fflush(f);
	I(F(dprintf)(fd, "%s %d\n", s, 3));
	I(F(__dprintf_chk)(fd, 0, "%s %d\n", s, 4));
	for (int i = 8; i < 10; i++)
		I(BODY(vcalls)(i, m, f, fd, "[%s] %d\n", s, i));
	rewind(f);
	n = (int)fread(line, 1, sizeof(line) - 1, f);
	line[n] = 0, S(line);
	fclose(f);
	I(F(printf)("# %s %d\n", s, 1));
	I(F(__printf_chk)(0, "# %s %d\n", s, 1));
	for (int i = 10; i < 12; i++)
		I(BODY(vcalls)(i, m, f, fd, "# <%s> %d\n", s, i));
	I(F(puts)(strcpy(s, "# put")));
}

static void BODY(scan)(char *m)
{
	FILE *f = tmpfile();
	char *s = m + 1000;
	long *l = (long *)(m + 2000);

	strcpy(s, "17 word 2.5 -3 zz");
	I(F(sscanf)(s, "%d %s %lf %ld", (int *)m, m + 100, (double *)(m + 200), l));
	I(F(sscanf)("9 x", "%hhd %c%n", m + 300, m + 301, (int *)(m + 304)));
	I(F(sscanf)("nothing", "%d%n", (int *)(m + 308), (int *)(m + 312)));
	I(F(sscanf)("abc123", "%2[a-c]%*[a-c]%3s", m + 320, m + 330));
	I(F(__isoc99_sscanf)(s, "%d %9s %f", (int *)(m + 400), m + 410, (float *)(m + 420)));
	I(F(__isoc99_sscanf)("1.5", "%Lf", (long double *)(m + 432)));
	memset(m + 442, 0, 6); /* padding of long double */
	memcpy(m + 500, s, 20);
	I(BODY(vcalls)(12, s, NULL, 0, "%d %s", (int *)(m + 540), m + 550));
	I(BODY(vcalls)(13, s, NULL, 0, "%d %s", (int *)(m + 570), m + 580));
	I(BODY(vcalls)(14, s, NULL, 0, "%d %s", (int *)(m + 700), m + 710));
	I(NEWER(F(__isoc23_sscanf), __isoc99_sscanf)(s, "%d %9s", (int *)(m + 740), m + 750));
	fputs("12 file 13 more 1 a 2 b 3 c 4 d", f);
	rewind(f);
	I(F(fscanf)(f, "%d %s", (int *)(m + 600), m + 610));
	I(F(__isoc99_fscanf)(f, "%d %9s", (int *)(m + 640), m + 650));
	for (int i = 15; i < 18; i++)
		I(BODY(vcalls)(i, s, f, 0, "%d %s", (int *)(m + 500 + 20 * i), m + 510 + 20 * i));
	I(NEWER(F(__isoc23_fscanf), __isoc99_fscanf)(f, "%d %9s", (int *)(m + 860), m + 870));
	fclose(f);
	stdin = f = tmpfile();
	fputs("12 file 13 more 1 a 2 b 3 c 4 d", f);
	rewind(f);
	I(F(scanf)("%d %s", (int *)(m + 900), m + 904));
	I(F(__isoc99_scanf)("%d %9s", (int *)(m + 920), m + 924));
	I(NEWER(F(__isoc23_scanf), __isoc99_scanf)("%d %9s", (int *)(m + 940), m + 944));
	for (int i = 18; i < 21; i++)
		I(BODY(vcalls)(i, s, f, 0, "%d %s", (int *)(m + 2100 + 20 * i), m + 2110 + 20 * i));
	fclose(f);
}

static void BODY(files)(char *m)
{
	FILE *f = tmpfile();
	int fd = fileno(f), s[2];
	struct iovec *v = (struct iovec *)(m + 3000);
	struct msghdr *h = (struct msghdr *)(m + 3100);
	socklen_t *len = (socklen_t *)(m + 3300);
	char **line = (char **)(m + 3400);
	size_t *n = (size_t *)(m + 3408);

	strcpy(m, "first line\nsecond\nthird");
	I(F(write)(fd, m, 24));
	I(F(pread)(fd, m + 100, 10, 2));
	I(F(pread64)(fd, m + 120, 10, 2));
	I(F(pwrite)(fd, m, 5, 30));
	I(F(pwrite64)(fd, m, 5, 40));
	v[0] = (struct iovec){m + 200, 3}, v[1] = (struct iovec){m + 210, 4};
	lseek(fd, 0, SEEK_SET);
	I(F(readv)(fd, v, 2));
	I(F(preadv)(fd, v, 2, 1));
	I(F(preadv64)(fd, v, 2, 1));
	I(F(writev)(fd, v, 2));
	I(F(pwritev)(fd, v, 2, 50));
	I(F(pwritev64)(fd, v, 2, 60));
	I(F(fsync)(fd));
	I(F(fdatasync)(fd));
	I(F(sync_file_range)(fd, 0, 10, 0));
	I(F(msync)((void *)((uintptr_t)m & ~(uintptr_t)4095), 4096, MS_SYNC));
	lseek(fd, 0, SEEK_SET);
	I(F(read)(fd, m + 300, 50));
	I(F(__read_chk)(fd, m + 400, 50, 60));
	I(F(__pread_chk)(fd, m + 500, 50, 0, 60));
	I(F(__pread64_chk)(fd, m + 600, 50, 0, 60));
	rewind(f);
	I(F(fread)(m + 700, 3, 4, f));
	I(F(__fread_chk)(m + 720, 20, 2, 2, f));
	rewind(f);
	P(F(fgets)(m + 740, 100, f));
	P(F(__fgets_chk)(m + 840, 100, 100, f));
	rewind(f);
	*line = NULL, *n = 0;
	I(F(getline)(line, n, f)), S(*line);
	I(F(getdelim)(line, n, 'o', f)), S(*line);
	free(*line), *line = NULL, *n = 0;
	rewind(f);
	I(F(__getdelim)(line, n, 'o', f)), S(*line);
	free(*line), *line = NULL, *n = 0;
	I(F(fread_unlocked)(m + 1500, 3, 4, f));
	I(F(__fread_unlocked_chk)(m + 1520, 20, 2, 2, f));
	rewind(f);
	P(F(fgets_unlocked)(m + 1540, 100, f));
	P(F(__fgets_unlocked_chk)(m + 1640, 100, 100, f));
	fseek(f, 0, SEEK_END);
	I(F(fwrite_unlocked)(m, 2, 5, f));
	I(F(fputs_unlocked)(m + 1540, f) >= 0);
	I(F(fwrite)(m, 2, 5, f));
	socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
	I(F(send)(s[0], m, 10, 0));
	I(F(recv)(s[1], m + 1000, 50, 0));
	I(F(sendto)(s[0], m, 9, 0, NULL, 0));
	*len = 16;
	I(F(recvfrom)(s[1], m + 1100, 50, 0, (struct sockaddr *)(m + 3320), len));
	memset(m + 3320, 0, 16), *len = 0;
	v[0] = (struct iovec){m, 3}, v[1] = (struct iovec){m + 3, 4};
	memset(h, 0, sizeof(*h)), h->msg_iov = v, h->msg_iovlen = 2;
	I(F(sendmsg)(s[0], h, 0));
	v[0].iov_base = m + 1200, v[1].iov_base = m + 1210;
	I(F(recvmsg)(s[1], h, 0));
	I(F(send)(s[0], m, 10, 0));
	I(F(__recv_chk)(s[1], m + 1300, 50, 60, 0));
	I(F(send)(s[0], m, 10, 0));
	I(F(__recvfrom_chk)(s[1], m + 1400, 50, 60, 0, NULL, NULL));
	memset(v, 0, 32), memset(h, 0, sizeof(*h)); /* addresses */
	close(s[0]), close(s[1]), fclose(f);
}

static void BODY(answers)(char *m)
{
	time_t *t = (time_t *)m;
	struct tm *tm = (struct tm *)(m + 100);
	struct stat *st = (struct stat *)(m + 1000);
	struct stat64 *st64 = (struct stat64 *)(m + 1200);
	int fd = open("/", O_RDONLY);

	I(F(time)(t) == *t);
	I(F(gettimeofday)((struct timeval *)(m + 16), NULL));
	I(F(clock_gettime)(CLOCK_REALTIME, (struct timespec *)(m + 32)));
	I(F(clock_gettime)(12345, (struct timespec *)(m + 32)));
	memset(m + 8, 0, 40);
	*t = 86400 * 365;
	P(F(gmtime_r)(t, tm)), tm->tm_zone = NULL;
	P(F(localtime_r)(t, tm)), tm->tm_zone = NULL;
	I(F(strftime)(m + 200, 50, strcpy(m + 260, "%Y-%m-%d"), tm));
	I(F(strftime)(m + 300, 2, "%Y-%m-%d", tm));
	memset(m + 300, 0, 2);
	P(F(getcwd)(m + 320, 500));
	memset(m + 320, 0, 500);
	P(F(__getcwd_chk)(m + 320, 500, 500));
	I(F(gethostname)(m + 900, 64));
	I(F(readlink)(strcpy(m + 2000, "/proc/self/cwd"), m + 2100, 500));
	P(F(realpath)(strcpy(m + 2000, "/proc/../dev"), m + 3000)); /* PATH_MAX of room */
	I(F(stat)(strcpy(m + 2000, "/"), st)), I(st->st_mode);
	I(F(lstat)(m + 2000, st)), I(st->st_ino);
	I(F(fstat)(fd, st)), I(st->st_ino);
	I(F(stat64)(m + 2000, st64)), I(st64->st_mode);
	I(F(lstat64)(m + 2000, st64)), I(st64->st_ino);
	I(F(fstat64)(fd, st64)), I(st64->st_ino);
	I(F(stat)("/no/such", st));
	I(F(getrandom)(m + 2600, 30, 0));
	I(F(getentropy)(m + 2700, 30));
	memset(m + 2600, 0, 200), memset(st, 0, 1000);
	close(fd);
}

/* Memory, and room in files. */
static void BODY(room)(char *m)
{
	FILE *f = tmpfile();
	int fd = fileno(f);
	void **to = (void **)m;
	char *p = F(malloc)(20), *q = F(calloc)(3, 20);

	S(strcpy(p, "twenty bytes"));
	I(q[0] + q[59]);
	p = F(realloc)(p, 200);
	S(p);
	q = F(reallocarray)(p, 3, 200);
	S(q);
	F(realloc)(q, 0);
	I(((uintptr_t)F(aligned_alloc)(64, 64) & 63));
	I(F(posix_memalign)(to, 256, 100)), I((uintptr_t)*to & 255);
	I(F(posix_memalign)(to, 3, 100));
	free(*to), *to = NULL;
	I(F(ftruncate)(fd, 100)), I(lseek(fd, 0, SEEK_END));
	I(F(ftruncate64)(fd, 90)), I(lseek(fd, 0, SEEK_END));
	I(F(fallocate)(fd, 0, 50, 100)), I(lseek(fd, 0, SEEK_END));
	I(F(fallocate64)(fd, 0, 50, 200)), I(lseek(fd, 0, SEEK_END));
	I(F(posix_fallocate)(fd, 0, 4000)), I(lseek(fd, 0, SEEK_END));
	I(F(posix_fallocate64)(-1, 0, 1));
	I(F(posix_fallocate64)(fd, 0, 4096)), I(lseek(fd, 0, SEEK_END));
	p = F(mmap)(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	q = F(mmap64)(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	I(p[0] + q[4095]);
	I(F(mmap)(NULL, 0, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED);
	fclose(f);
}

static void BODY(all)(char *m)
{
	static void (*const parts[])(char *) = {
		BODY(memory), BODY(strings), BODY(wide),	 BODY(numbers), BODY(print),
		BODY(scan),   BODY(files),   BODY(answers), BODY(misc),	   BODY(wide_numbers), BODY(room),
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		parts[i](m + i * ROOM);
}
