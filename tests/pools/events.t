#!/bin/sh
# The session is told what happens, as precisely as it happens.
. "$(dirname "$0")/lib.sh"

prepare events
PERDURE_TEST_LOG=../log driven "$P/events" >../out 2>&1
ok $? 'the program runs'
sed -n 's/^loss [0-9]* 0 /* /; p' ../log >../got
cat >../want <<'END'
* fd = open("e.pm", O_RDWR | O_CREAT, 0600)
pool-size 0 0 0
pool-open 0 0 0
* ftruncate(fd, 8192)
pool-size 0 2000 0
* pwrite(fd, "12345", 5, 100)
store 64 5 site=0
* pread(fd, buf, 3, 101)
load 65 3 site=0
* pwritev(fd, v, 2, 8190)
pool-size 0 2001 0
store 1ffe 3 site=0
pool-size 0 2005 0
store 2001 4 site=0
* fsync(fd)
msync 0 2005 0
* sync_fd = open("e.pm", O_WRONLY | O_DSYNC)
pool-open 0 2005 0
* write(sync_fd, "abc", 3)
store 0 3 site=0
msync 0 3 0
* pm = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
pool-map 0 2000 0
* msync(pm, 100, MS_SYNC)
msync 0 1000 0
* msync(pm, 100, MS_ASYNC)
* read(open("/dev/zero", O_RDONLY), pm, 10)
store 0 a site=0
* write(open("/dev/null", O_WRONLY), pm + 96, 10)
load 60 a site=0
* __pd_w_strcpy(pm + 200, "four")
store c8 5 site=7
* __pd_w_strcmp(pm + 200, "fox")
load c8 1 site=0
load c9 1 site=0
load ca 1 site=0
* __pd_w_strlen(pm + 200)
load c8 1 site=0
load c9 1 site=0
load ca 1 site=0
load cb 1 site=0
load cc 1 site=0
* __pd_w_memcpy(pm + 300, pm + 200, 20)
load c8 14 site=0
store 12c 14 site=0
* __pd_w_memcmp(pm + 205, "\0\0\0\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1", 20)
load cd 3 site=0
load d0 8 site=0
* __pd_w_strncpy(pm + 400, "ab", 6)
store 190 2 site=0
store 192 4 site=0
* __pd_w_snprintf(pm + 500, 4, "%.2s%d", pm + 200, 12345)
load c8 1 site=0
load c9 1 site=0
store 1f4 4 site=0
* __pd_w_atoi(pm + 100)
load 64 1 site=0
load 65 1 site=0
load 66 1 site=0
load 67 1 site=0
load 68 1 site=0
load 69 1 site=0
* __pd_w_wmemcpy((wchar_t *)(pm + 600), L"1 ab", 5)
store 258 14 site=0
* __pd_w_wcscpy((wchar_t *)buf, (wchar_t *)(pm + 608))
load 260 4 site=0
load 264 4 site=0
load 268 4 site=0
* __pd_w_wcstol((wchar_t *)(pm + 600), NULL, 10)
load 258 4 site=0
load 25c 4 site=0
load 260 4 site=0
load 264 4 site=0
load 268 4 site=0
* __pd_w_wcspbrk((wchar_t *)(pm + 600), L"b")
load 258 4 site=0
load 25c 4 site=0
load 260 4 site=0
load 264 4 site=0
* __pd_w_wcstok((wchar_t *)(pm + 600), L" ", &rest)
load 258 4 site=0
load 25c 4 site=0
store 25c 4 site=0
* __pd_w_memcpy(buf, "plain", 5)
* munmap(pm, 8192)
pool-unmap 0 2000 0
* rename("e.pm", "f.pm")
pool-rename 0 2005 0
* unlink("f.pm")
pool-unlink 0 2005 0
* close(fd)
END
diff ../want ../got
ok $? 'and the log has exactly these events'
finish
