// SPDX-License-Identifier: GPL-3.0-or-later
// For LD_AUDIT: the linker loads it, and a C library of its own, into a list apart, and calls it for each object.
#define _GNU_SOURCE
#include <link.h>
#include <stdlib.h>

static void* volatile kept;

unsigned la_version(unsigned version) { return version; }

unsigned la_objopen(struct link_map* map, Lmid_t list, uintptr_t* cookie) {
  (void)map, (void)list, (void)cookie;
  kept = malloc(77);
  free(kept);
  return 0;
}
