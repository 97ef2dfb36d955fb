// SPDX-License-Identifier: GPL-3.0-or-later
// Has worker threads of io_uring, which belong to the kernel and cannot be traced, and reads a line. Then calls f() 20 times, ends what they
// wait for, and says what has come.
#define _GNU_SOURCE
#include <linux/io_uring.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kReads = 8 };
static char bytes[kReads];
static char* submissions;
static char* completions;
static struct io_uring_params about;

__attribute__((noinline)) int f(int x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}

static unsigned* at(char* ring, unsigned offset) { return (unsigned*)(ring + offset); }

static void* map(int ring, size_t size, off_t what) {
  return mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, what);
}

static void submit(int ring, int fd) {
  struct io_uring_sqe* entries = map(ring, about.sq_entries * sizeof *entries, IORING_OFF_SQES);
  for (unsigned i = 0; i < kReads; i++) {
    entries[i] = (struct io_uring_sqe){
        .opcode = IORING_OP_READ, .flags = IOSQE_ASYNC, .fd = fd, .addr = (unsigned long)&bytes[i], .len = 1};
    at(submissions, about.sq_off.array)[i] = i;
  }
  __atomic_store_n(at(submissions, about.sq_off.tail), kReads, __ATOMIC_RELEASE);
  syscall(SYS_io_uring_enter, ring, kReads, 0, 0, 0, 0);
}

int main(void) {
  char line[16];
  int pair[2];
  const int ring = (int)syscall(SYS_io_uring_setup, 32, &about);
  if (ring < 0 || pipe(pair) != 0) return 77;
  submissions = map(ring, about.sq_off.array + about.sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING);
  completions = map(ring, about.cq_off.cqes + about.cq_entries * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);
  submit(ring, pair[0]);
  puts("ready");
  fflush(stdout);
  if (read(0, line, sizeof line) < 0) return 1;
  for (int i = 0; i < 20; i++) f(i);
  if (write(pair[1], "abcdefgh", kReads) != kReads) return 1;
  syscall(SYS_io_uring_enter, ring, 0, kReads, IORING_ENTER_GETEVENTS, 0, 0);
  printf("%u completed, %zu bytes\n", *at(completions, about.cq_off.tail), strnlen(bytes, kReads));
  return 0;
}
