// SPDX-License-Identifier: GPL-3.0-or-later
// slots THREADS ROUNDS [novdso]: threads call functions whose first instructions have operands relative to rip. Prints
// what came of it. With -DFILL=BYTES the text is that much longer, so that its last page may have no room left;
// `novdso` unmaps the vdso first.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#ifndef FILL
#define FILL 0
#endif
#define TEXT(x) #x
#define NUMBER(x) TEXT(x)
#define FUNCTION(name, code) "\n.type " #name ",@function\n" #name ": " code "\n ret\n.size " #name ",.-" #name "\n"

int three = 3, stored;
long total;
unsigned char pattern[16] = "0123456789abcde";

extern int load(void);
extern int compare(void);
extern void store(int x);
extern void add(void);
extern void copy(unsigned char* to);
__asm__(".text\n" FUNCTION(load, "mov three(%rip),%eax\n add $1,%eax")         //
        FUNCTION(compare, "cmpl $3,three(%rip)\n sete %al\n movzbl %al,%eax")  //
        FUNCTION(store, "mov %edi,stored(%rip)")                               //
        FUNCTION(add, "lock addq $1,total(%rip)")                              //
        FUNCTION(copy, "movups pattern(%rip),%xmm0\n movups %xmm0,(%rdi)") ".pushsection .text_behind,\"ax\",@progbits\n.skip 1+" NUMBER(FILL) ",0x90\n.popsection\n");

static int rounds;

static void* run(void* wrong) {
  unsigned char bytes[16];
  for (int i = 0; i < rounds; i++) {
    memset(bytes, 0, sizeof bytes);
    store(i);
    add();
    copy(bytes);
    const int right = load() == 4 && compare() == 1 && memcmp(bytes, pattern, sizeof bytes) == 0;
    if (!right) __atomic_add_fetch((int*)wrong, 1, __ATOMIC_SEQ_CST);
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int count = atoi(argv[1]);
  int wrong = 0;
  pthread_t* threads = calloc((size_t)count, sizeof *threads);
  rounds = atoi(argv[2]);
  if (argc > 3) munmap((void*)getauxval(AT_SYSINFO_EHDR), 0x2000);
  for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, run, &wrong);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
  printf("total %ld wrong %d stored %d\n", total, wrong, stored == rounds - 1);
  return 0;
}
