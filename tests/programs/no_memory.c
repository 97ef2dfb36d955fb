/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library for preloading: from the request with the number $NO_MEMORY_FROM on, malloc and its kin have no memory. At the
   end it writes to the file $NO_MEMORY_COUNT how many requests there were. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void*, size_t),
    *__libc_memalign(size_t, size_t);

static atomic_long requests;
static long from = -1;

__attribute__((constructor)) static void begin(void) {
  const char* number = getenv("NO_MEMORY_FROM");
  if (number) from = atol(number);
}

__attribute__((destructor)) static void end(void) {
  const char* name = getenv("NO_MEMORY_COUNT");
  FILE* file = name ? fopen(name, "w") : NULL;
  if (!file) return;
  fprintf(file, "%ld\n", (long)requests);
  fclose(file);
}

/* The C library ends the program by itself where it cannot note a destructor of a thread's variable. */
static int must_succeed(void* caller) {
  Dl_info info;
  return dladdr(caller, &info) && info.dli_sname && !strcmp(info.dli_sname, "__cxa_thread_atexit_impl");
}

static int fails(void* caller) {
  const long number = atomic_fetch_add(&requests, 1);
  if (from < 0 || number < from || must_succeed(caller)) return 0;
  errno = ENOMEM;
  return 1;
}
#define FAILS fails(__builtin_return_address(0))

void* malloc(size_t size) { return FAILS ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return FAILS ? NULL : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return FAILS ? NULL : __libc_realloc(old, size); }
void* memalign(size_t alignment, size_t size) { return FAILS ? NULL : __libc_memalign(alignment, size); }
void* aligned_alloc(size_t alignment, size_t size) { return FAILS ? NULL : __libc_memalign(alignment, size); }
int posix_memalign(void** memory, size_t alignment, size_t size) {
  if (FAILS) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
