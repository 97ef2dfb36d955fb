// SPDX-License-Identifier: GPL-3.0-or-later
// Does what its arguments say, one after the other, and nothing else: so the caller knows what a tracer must see.
//   open:PATH creat:PATH close read:BYTES[:TIMES] write:BYTES[:TIMES]   with one descriptor, -1 if the open failed
//   stat:PATH unlink:PATH mkdir:PATH chdir:PATH chmod:MODE:PATH rename:FROM:TO
//   getppid:TIMES sleep:MS[:TIMES] spin:MILLIONS (of additions) mmap:BYTES
//   calls:N (outer -> middle -> N times leaf) recurse:DEPTH allocate:BYTES[:TIMES] leak:BYTES[:TIMES] text:WORD
//   fork:STATUS die:SIGNAL run:PROGRAM[:WORD...] threads:N usr1:TIMES connect:PORT pipe:BYTES
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone))

enum { kMostWords = 8 };

static int current = -1;
static char bytes[1 << 20];
static volatile long sink;

KEPT int leaf(int n) {
  sink += n;
  return 2 * n;
}
KEPT int middle(int n) {
  int sum = 0;
  for (int i = 1; i <= n; i++) sum += leaf(i);
  return sum;
}
KEPT int outer(int n) { return middle(n) + 1; }
KEPT int recurse(int n) {
  const int below = n == 0 ? 0 : recurse(n - 1);
  sink += below;  // no tail call
  return below + 1;
}
KEPT int say(const char* word) { return (int)strlen(word); }

/// Contains no call, so samples come where a busy machine preempts it.
KEPT void spin_here(long millions) {
  for (long i = 0; i < millions * 1000000; i++) sink += i;
}

static void allocate(size_t size, bool freed) {
  char* volatile block = malloc(size);
  block[0] = 1;
  if (freed) free(block);
}

static void nap(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static void on_usr1(int number) { sink += number; }

KEPT void use_pipe(size_t size) {
  int ends[2];
  if (pipe(ends) || write(ends[1], bytes, size) < 0 || read(ends[0], bytes, size) < 0) abort();
  close(ends[0]);
  close(ends[1]);
}

/// A child that exits with `status`, kills itself by `signal`, or becomes the program `words`.
static void child(int status, int signal, char** words) {
  const pid_t pid = fork();
  if (pid < 0) abort();
  if (pid == 0) {
    if (words) execvp(words[0], words);
    if (signal) kill(getpid(), signal);
    _exit(status);
  }
  while (waitpid(pid, NULL, 0) < 0) continue;
}

static void* thread_main(void* unused) {
  syscall(SYS_getppid);
  return unused;
}
static void threads(long count) {
  for (long i = 0; i < count; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, thread_main, NULL)) abort();
    pthread_join(thread, NULL);
  }
}

static void connect_to(int port) {
  const struct sockaddr_in to = {AF_INET, htons((uint16_t)port), {htonl(INADDR_LOOPBACK)}, {0}};
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sink += connect(fd, (const struct sockaddr*)&to, sizeof to);
  close(fd);
}

static void file_deed(const char* verb, char** words, long number) {
#define IS(name) (!strcmp(verb, name))
  if (IS("open")) current = open(words[1], O_RDONLY);
  if (IS("creat")) current = open(words[1], O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (IS("close")) close(current);
  if (IS("read")) sink += read(current, bytes, (size_t)number);
  if (IS("write")) sink += write(current, bytes, (size_t)number);
  if (IS("stat")) sink += stat(words[1], &(struct stat){0});
  if (IS("unlink")) sink += unlink(words[1]);
  if (IS("mkdir")) sink += mkdir(words[1], 0755);
  if (IS("chdir")) sink += chdir(words[1]);
  if (IS("chmod")) sink += chmod(words[2], (mode_t)strtol(words[1], NULL, 8));
  if (IS("rename")) sink += rename(words[1], words[2]);
  if (IS("pipe")) use_pipe((size_t)number);
}

static void other_deed(const char* verb, char** words, long number) {
  if (IS("getppid")) sink += syscall(SYS_getppid);
  if (IS("sleep")) nap(number);
  if (IS("spin")) spin_here(number);
  if (IS("mmap")) sink += (long)mmap(NULL, (size_t)number, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (IS("calls")) sink += outer((int)number);
  if (IS("recurse")) sink += recurse((int)number);
  if (IS("allocate")) allocate((size_t)number, true);
  if (IS("leak")) allocate((size_t)number, false);
  if (IS("text")) sink += say(words[1]);
  if (IS("fork")) child((int)number, 0, NULL);
  if (IS("die")) child(0, (int)number, NULL);
  if (IS("run")) child(127, 0, words + 1);
  if (IS("threads")) threads(number);
  if (IS("usr1")) kill(getpid(), SIGUSR1);
  if (IS("connect")) connect_to((int)number);
#undef IS
}

/// The deeds that are done TIMES times: their first operand is the deed; for getppid and usr1 it is TIMES itself.
static long times_of(char** words) {
  if (!words[1]) return 1;
  if (!strcmp(words[0], "getppid") || !strcmp(words[0], "usr1")) return atol(words[1]);
  const char* repeated[] = {"read", "write", "sleep", "allocate", "leak"};
  for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++)
    if (!strcmp(words[0], repeated[i])) return words[2] ? atol(words[2]) : 1;
  return 1;
}

int main(int argc, char** argv) {
  signal(SIGUSR1, on_usr1);
  memset(bytes, 'x', sizeof bytes);
  for (int i = 1; i < argc; i++) {
    char* words[kMostWords + 1] = {NULL};
    int count = 0;
    for (char* word = argv[i]; word && count < kMostWords; count++) words[count] = strsep(&word, ":");
    const long number = words[1] ? atol(words[1]) : 0;
    for (long time = times_of(words); time > 0; time--) {
      file_deed(words[0], words, number);
      other_deed(words[0], words, number);
    }
  }
  return 0;
}
