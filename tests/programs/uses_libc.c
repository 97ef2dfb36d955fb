/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Uses many functions of libc, and prints a checksum of the results that is the same in each run. */
#define _GNU_SOURCE
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

static unsigned long sum;

static void add(const char* text) {
  for (; *text; text++) sum = sum * 31 + (unsigned char)*text;
}

static int compare(const void* a, const void* b) { return strcmp(*(char* const*)a, *(char* const*)b); }

static void strings(int round) {
  char text[256], copy[256], *words[64], *place = NULL;
  size_t count = 0;
  snprintf(text, sizeof text, "the %d quick brown %s jumps over %x lazy dogs, %5.3f times", round, "fox", round * 77,
           round / 7.0);
  add(text);
  memmove(copy, text, sizeof text);
  for (char* word = strtok_r(copy, " ,", &place); word; word = strtok_r(NULL, " ,", &place))
    words[count++] = strdup(word);
  qsort(words, count, sizeof *words, compare);
  for (size_t i = 0; i < count; i++) {
    add(words[i]);
    sum += strlen(words[i]) + (strstr(text, words[i]) != NULL) + strcspn(words[i], "aeiou") +
           (unsigned)strcasecmp(words[i], "FOX");
    free(words[i]);
  }
  sum += (unsigned long)(strchr(text, 'q') - text) + (unsigned long)(strrchr(text, 'o') - text) + strspn(text, "eht ");
  sum += (memchr(text, 'z', sizeof text) != NULL) + (unsigned)(memcmp(text, "the", 3) == 0) + strnlen(text, 20);
}

static void numbers(int round) {
  char line[128], name[32];
  int a = 0;
  double b = 0;
  long c = 0;
  snprintf(line, sizeof line, "%d name%d %.2f 0x%lx", round, round, round * 1.25, round * 1000L);
  sum += (unsigned)sscanf(line, "%d %31s %lf %lx", &a, name, &b, &c) + (unsigned)a + (unsigned long)(b * 100) +
         (unsigned long)c;
  sum += (unsigned long)strtol("-1234", NULL, 10) + strtoul("0777", NULL, 0) + (unsigned long)(strtod("2.5e3", NULL)) +
         (unsigned)atoi("99");
  srand(7);
  sum += (unsigned)rand() + (unsigned long)labs(-5) + (unsigned)toupper('a' + round % 26);
}

static void patterns(void) {
  regex_t pattern;
  regmatch_t found[3];
  regcomp(&pattern, "([a-z]+)-([0-9]+)", REG_EXTENDED);
  if (regexec(&pattern, "some word-4711 here", 3, found, 0) == 0) sum += (unsigned)(found[1].rm_so + found[2].rm_eo);
  regfree(&pattern);
}

static void streams(int round) {
  char *memory = NULL, line[64];
  size_t size = 0;
  FILE* out = open_memstream(&memory, &size);
  for (int i = 0; i < 5; i++) fprintf(out, "line %d of %d\n", i, round);
  fclose(out);
  FILE* in = fmemopen(memory, size, "r");
  while (fgets(line, sizeof line, in)) add(line);
  fclose(in);
  free(memory);
}

static void times(int round) {
  time_t when = 1000000000 + round * 86400L;
  struct tm parts;
  char text[64];
  wchar_t wide[32];
  gmtime_r(&when, &parts);
  strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %a", &parts);
  add(text);
  sum += (unsigned long)timegm(&parts) + mbstowcs(wide, text, 32) + wcslen(wide);
  sum += (getenv("NOWHERE") == NULL) + (setlocale(LC_ALL, "C") != NULL);
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 3;
  for (int round = 0; round < rounds; round++) {
    void* block = calloc(10, 100);
    block = realloc(block, 5000);
    strings(round);
    numbers(round);
    patterns();
    streams(round);
    times(round);
    free(block);
  }
  printf("%lu\n", sum);
  return 0;
}
