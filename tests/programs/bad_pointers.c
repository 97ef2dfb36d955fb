// SPDX-License-Identifier: GPL-3.0-or-later
// System calls with invalid pointers, counts and lengths. All of them fail, or do nothing; only their decoding matters.
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void) {
  const long page = 4096;
  char* memory = mmap(0, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *end = memory + page, *bad = (char*)8;
  munmap(end, page);
  memset(end - 16, 'x', 16);

  syscall(SYS_openat, AT_FDCWD, bad, O_RDONLY, 0);
  syscall(SYS_openat, AT_FDCWD, end - 16, O_RDONLY, 0); /* no NUL before the end of memory */
  syscall(SYS_openat, 12345678, "\033[2Jname\n\"\\", O_RDONLY | 0x40000000, 0);
  syscall(SYS_newfstatat, AT_FDCWD, "/", bad, 0);
  syscall(SYS_write, -1, end - 16, 1ul << 40);
  syscall(SYS_write, -1, bad, 10);
  syscall(SYS_writev, -1, bad, 3);
  syscall(SYS_writev, -1, end - 16, 1 << 30);
  struct iovec vector[2] = {{bad, 100}, {end - 4, 3}};
  syscall(SYS_writev, -1, vector, 2);
  struct msghdr header = {bad, 1000, (struct iovec*)bad, 1ul << 40, bad, 1ul << 40, 0};
  syscall(SYS_sendmsg, -1, &header, 0);
  syscall(SYS_sendmsg, -1, end - 8, 0);
  syscall(SYS_connect, -1, end - 4, 4);
  syscall(SYS_connect, -1, bad, -1);
  syscall(SYS_accept, -1, bad, bad);
  syscall(SYS_rt_sigaction, 2, bad, 0, 8);
  syscall(SYS_rt_sigprocmask, 0, bad, 0, 8);
  syscall(SYS_ppoll, bad, 1u << 31, bad, bad, 8);
  syscall(SYS_futex, bad, 0, 0, bad);
  syscall(SYS_nanosleep, bad, bad);
  syscall(SYS_prctl, 15, bad);
  syscall(SYS_ioctl, -1, 0xffffffff, bad);
  syscall(SYS_fcntl, -1, F_SETLK, bad);
  syscall(SYS_setsockopt, -1, SOL_SOCKET, SO_REUSEADDR, bad, 1 << 30);
  syscall(SYS_clone3, bad, 88);
  char* words[3] = {"a", bad, 0};
  syscall(SYS_execve, "/nonexistent", words, bad);
  syscall(SYS_execve, "/nonexistent", end - 8, end - 8);
  syscall(SYS_execve, bad, bad, bad);
  syscall(SYS_select, 1 << 30, bad, bad, bad, bad);
  return 0;
}
