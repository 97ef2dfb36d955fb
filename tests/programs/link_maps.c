// SPDX-License-Identifier: GPL-3.0-or-later
// link_maps LIBRARY: loads it twice by dlmopen, into lists of its own, as plug-in hosts and LD_AUDIT do, and calls go() of each copy 3 times.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  for (int i = 0; argc > 1 && i < 2; i++) {
    void* library = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW);
    void (*go)(void) = library ? (void (*)(void))dlsym(library, "go") : NULL;
    if (!go) return puts(dlerror()) > 0;
    for (int k = 0; k < 3; k++) go();
  }
  puts("6 calls");
  return 0;
}
