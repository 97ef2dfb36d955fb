// SPDX-License-Identifier: GPL-3.0-or-later
// Calls of execve whose arrays and texts are of every kind. All but the last fail.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kPage = 4096, kVariables = 200 };

static void try(const void* words, const void* variables) { syscall(SYS_execve, "/nonexistent", words, variables); }

static char** numbered(int count, const char* form) {
  char** texts = calloc(count + 1, sizeof *texts);
  for (int i = 0; i < count; i++)
    if (asprintf(&texts[i], form, i) < 0) exit(1);
  return texts;
}

int main(void) {
  char *none[] = {0}, *one[] = {"A=1", 0}, *bad[] = {"a", (char*)8, "z", 0};
  char* odd[] = {"x",
                 "a\nb\t\001\303\244\"\\q",
                 "0123456789012345678901234567890",
                 "01234567890123456789012345678901",
                 "012345678901234567890123456789012",
                 "",
                 0};
  char* memory = mmap(0, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(memory + kPage, kPage);
  char** endless = (char**)(memory + kPage) - 2;
  char** last = (char**)(memory + kPage) - 5;
  endless[0] = last[0] = "q";
  endless[1] = last[1] = "r";
  last[2] = 0;

  try(0, 0);
  try(none, none);
  try(endless, endless);
  try(last, last + 2);
  try((void*)8, (void*)9);
  try(bad, bad);
  for (int words = 31; words <= 33; words++) try(numbered(words, "a%d"), one);
  try(numbered(40, "a%d"), one);
  char** variables = numbered(kVariables, "VARIABLE_%d=the value of this variable");
  try(odd, odd);
  try(odd, variables);
  try(one, numbered(4000, "VARIABLE_%d=the value of one of many"));
  syscall(SYS_execveat, AT_FDCWD, "nonexistent", odd, one, AT_SYMLINK_NOFOLLOW);
  execve("/bin/true", (char*[]){"true", "a b", 0}, variables);
  return 1;
}
