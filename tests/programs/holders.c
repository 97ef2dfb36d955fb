// SPDX-License-Identifier: GPL-3.0-or-later
// Comes to hold the bytes of probed functions in one of many ways, and calls them there.   holders WAY
//
// Calls the functions; "ready"; reads a line; WAY; "holding"; reads a line; calls them where the bytes are now, and in
// itself; "right", or what was wrong. The exit status is 0 only if everything was right. End of input counts as a line.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kPage = 4096, kCalls = 10 };

// A page of its own for the functions; each begins with an instruction that is passed in another way: one that is
// emulated in registers, one that pushes, one that is stepped in a slot. They use no other memory, so that copies work.
extern int held(int);
extern char held_page[], held_end[];
__asm__(
    ".text\n.balign 4096\nheld_page:\n.globl held\n.type held,@function\n"
    "held: cmp $5, %edi\n lea 1(%rdi), %edi\n call pushes\n ret\n.size held, . - held\n"
    ".globl pushes\n.type pushes,@function\n"
    "pushes: push %rbx\n mov %edi, %ebx\n call steps\n pop %rbx\n ret\n.size pushes, . - pushes\n"
    ".globl steps\n.type steps,@function\n"
    "steps: and $0xffff, %edi\n mov %edi, %eax\n ret\n.size steps, . - steps\n"
    ".balign 4096\nheld_end:\n");

static int (*here)(int) = held;

static int wrong_calls(int (*function)(int)) {
  int wrong = 0;
  for (int i = 0; i < kCalls; i++) wrong += function(i) != i + 1;
  return wrong;
}

static void wait_for_line(const char* state) {
  printf("%s\n", state);
  fflush(stdout);
  for (char byte = 0; byte != '\n' && read(0, &byte, 1) == 1;) continue;
}

// Children that call the functions when `start` is closed.
static int start[2], children;

static void work_in_child(void) {
  char byte;
  close(start[1]);
  while (read(start[0], &byte, 1) == 1) continue;
  _exit(wrong_calls(held) != 0);
}

static int in_child(void* unused) {
  (void)unused;
  work_in_child();
  return 0;
}

static void child(void) {
  const int pid = fork();
  if (pid == 0) work_in_child();
  children += pid > 0;
}

static void by_clone(void) {
  const long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) work_in_child();
  children += pid > 0;
}

static void in_shared_memory(void) {
  enum { kStack = 256 * 1024 };
  char* stack = malloc(kStack);
  children += clone(in_child, stack + kStack, CLONE_VM | SIGCHLD, NULL) > 0;
}

static void grandchild(void) {
  const int pid = fork();
  if (pid != 0) {
    children += pid > 0;
    return;
  }
  child();
  close(start[1]);
  int status = 1;
  _exit(wait(&status) <= 0 || status != 0 || wrong_calls(held) != 0);
}

static void many(int count) {
  for (int i = 0; i < count; i++) child();
  if (children != count) printf("only %d children\n", children);
}

static void look_at_libraries(void) {
  void* library = dlopen("libm.so.6", RTLD_NOW);
  if (library != NULL) dlclose(library);
}

// As node --use-largepages and PHP's huge code pages do: the same text in anonymous memory, at the same address.
static void to_anonymous(int how) {
  char* copy = mmap(0, kPage, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(copy, held_page, kPage);
  if (how == 'm') madvise(copy, kPage, MADV_HUGEPAGE);
  if (mremap(copy, kPage, kPage, MREMAP_MAYMOVE | MREMAP_FIXED, held_page) != held_page) perror("mremap");
  mprotect(held_page, kPage, PROT_READ | PROT_EXEC);
}

static void copy_text(void) {
  char* copy = mmap(0, kPage, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(copy, held_page, kPage);
  here = (int (*)(int))copy;
}

static void move_text(void) { here = mremap(held_page, kPage, kPage, MREMAP_MAYMOVE | MREMAP_FIXED, 0x20000000); }

static void take(const char* way, char** argv) {
  if (!strcmp(way, "fork")) child();
  if (!strcmp(way, "vfork")) {
    const int pid = vfork();
    if (pid == 0) _exit(wrong_calls(held) != 0);
    children += pid > 0;
  }
  if (!strcmp(way, "clone")) by_clone();
  if (!strcmp(way, "clone_vm")) in_shared_memory();
  if (!strcmp(way, "grandchild")) grandchild();
  if (!strcmp(way, "undumpable") || !strcmp(way, "without_vdso")) {
    prctl(PR_SET_DUMPABLE, 0);
    child();
  }
  if (!strcmp(way, "many")) many(atoi(argv[2]));
  if (!strcmp(way, "protect")) {
    mprotect(held_page, kPage, PROT_READ | PROT_WRITE);
    look_at_libraries();
    mprotect(held_page, kPage, PROT_READ | PROT_EXEC);
  }
  if (!strcmp(way, "anonymous")) to_anonymous('a');
  if (!strcmp(way, "madvise")) to_anonymous('m');
  if (!strcmp(way, "copy")) copy_text();
  if (!strcmp(way, "move")) move_text();
  if (!strcmp(way, "exec") && argv[2] == NULL) execl("/proc/self/exe", argv[0], way, "again", NULL);
}

int main(int argc, char** argv) {
  if (argc < 2 || pipe(start) != 0) return 2;
  const char* way = argv[1];
  if (!strcmp(way, "without_vdso") && munmap((void*)getauxval(AT_SYSINFO_EHDR), 2 * kPage) != 0) return 2;
  int wrong = wrong_calls(held);
  if (argc < 3 || strcmp(argv[2], "again") != 0) wait_for_line("ready");
  take(way, argv);
  wait_for_line("holding");
  const int looks =
      !strcmp(way, "protect") || !strcmp(way, "anonymous") || !strcmp(way, "madvise") || !strcmp(way, "move");
  if (looks) look_at_libraries();
  wrong += wrong_calls(here);
  close(start[1]);
  for (int status; children > 0 && wait(&status) > 0; children--) {
    if (status != 0) printf("a child: status %x\n", status);
    wrong += status != 0;
  }
  printf(wrong == 0 ? "right\n" : "%d wrong\n", wrong);
  return wrong != 0;
}
