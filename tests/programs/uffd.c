// SPDX-License-Identifier: GPL-3.0-or-later
// Pages that a thread of the same process provides (userfaultfd), as snapshots, collectors and live migration do:
// write() of three of them; the kernel faults, the thread answers. A tracer that reads such a page at the entry of the
// call waits for a thread that it may have stopped.
//   ARGUMENT: begin   begins at once
//             wait    writes "ready", and begins when standard input ends
//             never   the same, but the thread never answers, and the pages are a path that access() gets: it hangs
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kPages = 3, kPage = 4096 };
static int uffd, answers = 1;
static volatile int served;

static void* serve(void* arg) {
  (void)arg;
  static char page[kPage] __attribute__((aligned(kPage)));
  strcpy(page, "from the pager\n");
  for (struct uffd_msg message; read(uffd, &message, sizeof message) == sizeof message;) {
    if (!answers) continue;
    struct uffdio_copy copy = {
        .dst = message.arg.pagefault.address & ~(kPage - 1ull), .src = (unsigned long)page, .len = kPage};
    served++;
    ioctl(uffd, UFFDIO_COPY, &copy);
  }
  return NULL;
}

int main(int argc, char** argv) {
  uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
  struct uffdio_api api = {.api = UFFD_API};
  if (uffd < 0 || ioctl(uffd, UFFDIO_API, &api)) return perror("userfaultfd"), 77;
  char* pages = mmap(0, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct uffdio_register range = {.range = {(unsigned long)pages, kPages * kPage},
                                  .mode = UFFDIO_REGISTER_MODE_MISSING};
  if (ioctl(uffd, UFFDIO_REGISTER, &range)) return perror("register"), 77;
  pthread_t thread;
  pthread_create(&thread, 0, serve, 0);
  const char* how = argc > 1 ? argv[1] : "begin";
  answers = strcmp(how, "never") != 0;
  char byte;
  if (strcmp(how, "begin") != 0) {
    if (write(1, "ready\n", 6) != 6) return 1;
    while (read(0, &byte, 1) > 0) continue;
  }
  if (!answers) return access(pages, F_OK);
  for (int i = 0; i < kPages; i++)
    if (write(1, pages + kPage * i, 15) != 15) perror("write");
  printf("served %d\n", served);
  return 0;
}
