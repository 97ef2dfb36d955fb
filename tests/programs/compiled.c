// SPDX-License-Identifier: GPL-3.0-or-later
// Makes functions at run time and names them in /tmp/perf-PID.map, as language runtimes do: `hot` (called 100 times),
// `caller`, which calls getppid() 3 times, and _ZN3app3fibEi. Prints "ready", and continues at the end of its input.
//   zap   `hot` is overwritten by breakpoint instructions at the end, which must stay
//   move  `hot` is overwritten by another function before it is called
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const unsigned char kHot[] = {0x55, 0x48, 0x89, 0xe5, 0x8d,
                                     0x47, 0x01, 0x5d, 0xc3};                      // int hot(int x) { return x + 1; }
static const unsigned char kOther[] = {0x0f, 0x1f, 0x00, 0x8d, 0x47, 0x01, 0xc3};  // the same in other instructions
static const unsigned char kCaller[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};  // calls its argument

static unsigned char* text;

static void* make(FILE* map, size_t at, const void* code, size_t size, const char* name) {
  memcpy(text + at, code, size);
  fprintf(map, "%lx %zx %s\n", (unsigned long)(text + at), size, name);
  return text + at;
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  char path[64];
  snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
  FILE* map = fopen(path, "w");
  text = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == NULL || text == MAP_FAILED) return 2;
  int (*volatile hot)(int) = make(map, 0, kHot, sizeof kHot, "hot spot");
  void (*volatile caller)(int (*)(void)) = make(map, 64, kCaller, sizeof kCaller, "caller");
  make(map, 128, kHot, sizeof kHot, "_ZN3app3fibEi");
  fclose(map);
  puts("ready");
  fflush(stdout);
  while (getchar() != EOF) continue;
  if (strcmp(mode, "move") == 0) memcpy(text, kOther, sizeof kOther);
  int sum = 0;
  for (int i = 0; i < 100; i++) sum = hot(sum);
  for (int i = 0; i < 3; i++) caller((int (*)(void))getppid);
  if (strcmp(mode, "zap") == 0) {
    memset(text, 0xcc, 64);
    usleep(300000);
    for (int i = 0; i < 64; i++)
      if (text[i] != 0xcc) return 3;
  }
  unlink(path);
  return sum == 100 ? 0 : 1;
}
