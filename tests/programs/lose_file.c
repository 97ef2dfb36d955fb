// SPDX-License-Identifier: GPL-3.0-or-later
// For LD_PRELOAD: removes the file $LOSE when the kernel is first asked for a link to places in files, which is after its
// probes were found, and before they are set.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define UPROBE_MULTI 48 /* BPF_TRACE_UPROBE_MULTI, which older headers lack */

long syscall(long number, ...) {
  long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  const char* lost = getenv("LOSE");
  long words[6];
  va_list rest;

  va_start(rest, number);
  for (int i = 0; i < 6; i++) words[i] = va_arg(rest, long);
  va_end(rest);
  if (lost && number == SYS_bpf && words[0] == BPF_LINK_CREATE &&
      ((const union bpf_attr*)words[1])->link_create.attach_type == UPROBE_MULTI)
    unlink(lost);
  return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
