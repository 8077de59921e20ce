#!/bin/sh
# many.sh N - prints a program with N failures, each for a missing flush of its own.
many=$1
cat <<'C'
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <emmintrin.h>
static struct { uint64_t v, fill[31]; } *p;
C
for i in $(seq $many); do
	echo "static __attribute__((noinline)) void set$i(void) { p[$i].v = 1; }"
	echo "static __attribute__((noinline)) void get$i(void) { if (!p[$i].v) abort(); }"
done
echo 'int main(void) { int fd = open("x.pm", O_RDWR | O_CREAT, 0600); if (ftruncate(fd, 1 << 17)) return 2;'
echo 'p = mmap(NULL, 1 << 17, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0); if (p->v) {'
for i in $(seq $many); do echo "get$i();"; done
echo 'return 0; }'
for i in $(seq $many); do echo "set$i();"; done
echo 'p->v = 1; _mm_clflush(p); _mm_sfence(); return 0; }'
