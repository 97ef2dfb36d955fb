// SPDX-License-Identifier: GPL-3.0-or-later
// Comes to a standstill in the way that its first argument names (kWays), and stays there. Others only look as if they
// had. On stdout: "ready PID..." once all threads that will wait are started; whoever looks waits until they sleep.
// Processes that it starts die with it.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER,
                       third = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t* locks[3] = {&first, &second, &third};
static pthread_rwlock_t shared_lock = PTHREAD_RWLOCK_INITIALIZER, other_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t all_hold;
static pthread_t mains, others;
static sem_t never;

static void must(int true, const char* what) {
  if (!true) {
    perror(what);
    exit(1);
  }
}

static void ready(void) {
  printf("ready\n");
  fflush(stdout);
}

static void stay(void) {
  for (;;) pause();
}

static pthread_t begin(void* (*run)(void*), void* argument) {
  pthread_t thread;
  must(pthread_create(&thread, NULL, run, argument) == 0, "pthread_create");
  return thread;
}

/// A child that dies with its parent.
static int child(void) {
  const pid_t parent = getpid();
  const pid_t pid = fork();
  must(pid >= 0, "fork");
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
  }
  return pid;
}

// ---- mutexes

static int ring = 2;

static void* lock_next(void* argument) {
  const long i = (long)argument;
  pthread_mutex_lock(locks[i]);
  pthread_barrier_wait(&all_hold);
  pthread_mutex_lock(locks[(i + 1) % ring]);
  return NULL;
}

static void in_a_ring(int size) {
  ring = size;
  pthread_barrier_init(&all_hold, NULL, (unsigned)size);
  for (long i = 1; i < size; i++) begin(lock_next, (void*)i);
  ready();
  lock_next((void*)0);
}

static void of_kind(int kind, int protocol, int robust) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, kind);
  pthread_mutexattr_setprotocol(&attributes, protocol);
  pthread_mutexattr_setrobust(&attributes, robust);
  for (int i = 0; i < 3; i++) must(pthread_mutex_init(locks[i], &attributes) == 0, "pthread_mutex_init");
}

static void mutexes(void) { in_a_ring(2); }
static void three_mutexes(void) { in_a_ring(3); }

static void recursive(void) {
  of_kind(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
  in_a_ring(2);
}

static void errorcheck(void) {
  of_kind(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
  in_a_ring(2);
}

static void robust(void) {
  of_kind(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
  in_a_ring(2);
}

/// The kernel refuses to let the last thread wait, so glibc lets it sleep for ever.
static void only_inheriting(void) {
  of_kind(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
  in_a_ring(2);
}

static void three_inheriting(void) {
  of_kind(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
  in_a_ring(3);
}

/// The kernel refuses cycles of PI mutexes, so one of the two is none.
static void inheriting(void) {
  of_kind(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
  must(pthread_mutex_init(&second, NULL) == 0, "pthread_mutex_init");
  in_a_ring(2);
}

static void self(void) {
  pthread_mutex_lock(&first);
  ready();
  pthread_mutex_lock(&first);
}

static void behind(void) {
  pthread_barrier_init(&all_hold, NULL, 3);
  begin(lock_next, (void*)0);
  begin(lock_next, (void*)1);
  pthread_barrier_wait(&all_hold);
  ready();
  pthread_mutex_lock(&first);
}

/// Two processes, two mutexes in memory that both have mapped.
static void between_processes(void) {
  pthread_mutex_t* both = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrierattr_t of_barrier;
  pthread_barrierattr_init(&of_barrier);
  pthread_barrierattr_setpshared(&of_barrier, PTHREAD_PROCESS_SHARED);
  pthread_barrier_t* barrier = (void*)(both + 2);
  pthread_barrier_init(barrier, &of_barrier, 2);
  for (int i = 0; i < 2; i++) pthread_mutex_init(&both[i], &attributes);
  const int mine = child() == 0;
  pthread_mutex_lock(&both[mine]);
  pthread_barrier_wait(barrier);
  if (mine == 0) ready();
  pthread_mutex_lock(&both[!mine]);
}

static void* write_locked(void* argument) {
  (void)argument;
  pthread_rwlock_wrlock(&other_lock);
  pthread_barrier_wait(&all_hold);
  pthread_rwlock_rdlock(&shared_lock);
  return NULL;
}

static void rwlocks(void) {
  pthread_barrier_init(&all_hold, NULL, 2);
  begin(write_locked, NULL);
  pthread_rwlock_wrlock(&shared_lock);
  pthread_barrier_wait(&all_hold);
  ready();
  pthread_rwlock_wrlock(&other_lock);
}

static void* joins_next(void* argument) {
  pthread_join(*(pthread_t*)argument, NULL);
  return NULL;
}

/// glibc refuses two that join each other, but not three.
static void joins(void) {
  mains = pthread_self();
  const pthread_t last = begin(joins_next, &mains);
  others = last;
  const pthread_t middle = begin(joins_next, &others);
  ready();
  pthread_join(middle, NULL);
}

static void* locks_first(void* argument) {
  (void)argument;
  pthread_mutex_lock(&first);
  return NULL;
}

static void mutex_and_join(void) {
  pthread_mutex_lock(&first);
  others = begin(locks_first, NULL);
  ready();
  pthread_join(others, NULL);
}

static void* prints(void* argument) {
  (void)argument;
  pthread_mutex_lock(&first);
  pthread_barrier_wait(&all_hold);
  fputs("never", stderr);
  return NULL;
}

static void stream(void) {
  pthread_barrier_init(&all_hold, NULL, 2);
  begin(prints, NULL);
  flockfile(stderr);
  pthread_barrier_wait(&all_hold);
  ready();
  pthread_mutex_lock(&first);
}

// ---- pipes, sockets, children, locks of files

static int ends[2], back[2];

static void pipes(void) { must(pipe(ends) == 0 && pipe(back) == 0, "pipe"); }

static void read_byte(int fd) {
  char byte;
  while (read(fd, &byte, 1) == 1)
    ;
}

static void fill(int fd) {
  static char bytes[1 << 16];
  while (write(fd, bytes, sizeof bytes) > 0)
    ;
}

/// Each reads what only the other writes.
static void pipes_read(void) {
  pipes();
  if (child() == 0) {
    close(ends[1]);
    close(back[0]);
    read_byte(ends[0]);
  }
  close(ends[0]);
  close(back[1]);
  ready();
  read_byte(back[0]);
}

/// Each writes what only the other reads.
static void pipes_full(void) {
  pipes();
  if (child() == 0) {
    close(ends[1]);
    close(back[0]);
    fill(back[1]);
  }
  close(ends[0]);
  close(back[1]);
  ready();
  fill(ends[1]);
}

/// The parent waits for a child that reads what the parent would have to close.
static void child_reads(void) {
  pipes();
  if (child() == 0) {
    close(ends[1]);
    read_byte(ends[0]);
    _exit(0);
  }
  close(ends[0]);
  ready();
  wait(NULL);
}

static void child_by_waitid(void) {
  pipes();
  const int pid = child();
  if (pid == 0) read_byte(ends[0]);  // it has the write end, too
  ready();
  siginfo_t info;
  waitid(P_PID, (id_t)pid, &info, WEXITED);
}

static void fifos(void) {
  char folder[] = "/tmp/stuck-XXXXXX";
  must(mkdtemp(folder) != NULL && chdir(folder) == 0 && mkfifo("there", 0600) == 0 && mkfifo("back", 0600) == 0,
       "mkfifo");
  const int there = open("there", O_RDWR), reverse = open("back", O_RDWR);
  unlink("there");
  unlink("back");
  rmdir(folder);
  if (child() == 0) read_byte(there);
  ready();
  read_byte(reverse);
}

static int mutex_and_pipe_fd;

static void* reads_with_mutex(void* argument) {
  (void)argument;
  pthread_mutex_lock(&first);
  pthread_barrier_wait(&all_hold);
  read_byte(mutex_and_pipe_fd);
  return NULL;
}

static void mutex_and_pipe(void) {
  pipes();
  mutex_and_pipe_fd = ends[0];
  pthread_barrier_init(&all_hold, NULL, 2);
  begin(reads_with_mutex, NULL);
  pthread_barrier_wait(&all_hold);
  ready();
  pthread_mutex_lock(&first);
}

static void mutex_and_child(void) {
  pthread_mutex_t* lock = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(lock, &attributes);
  pthread_mutex_lock(lock);
  const int pid = child();
  if (pid == 0) pthread_mutex_lock(lock);
  ready();
  waitpid(pid, NULL, 0);
}

static void unix_sockets(void) {
  must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
  const int mine = child() == 0;
  close(ends[!mine]);
  if (mine == 0) ready();
  read_byte(ends[mine]);
}

static void unix_polled(void) {
  must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
  const int mine = child() == 0;
  close(ends[!mine]);
  struct pollfd one = {ends[mine], POLLIN, 0};
  if (mine == 0) ready();
  poll(&one, 1, -1);
}

/// The parent waits for either of two pipes, the child for a third.
static void polls_two(void) {
  int third[2];
  pipes();
  must(pipe(third) == 0, "pipe");
  if (child() == 0) {
    close(third[1]);
    read_byte(third[0]);
  }
  close(third[0]);
  close(ends[1]);
  close(back[1]);
  struct pollfd both[2] = {{ends[0], POLLIN, 0}, {back[0], POLLIN, 0}};
  ready();
  poll(both, 2, -1);
}

static int connected(int* accepted) {
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof here;
  const int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
  must(bind(server, (struct sockaddr*)&here, size) == 0 && listen(server, 1) == 0 &&
           getsockname(server, (struct sockaddr*)&here, &size) == 0,
       "listen");
  must(connect(client, (struct sockaddr*)&here, size) == 0, "connect");
  *accepted = accept(server, NULL, NULL);
  close(server);
  return client;
}

static void tcp_sockets(void) {
  ends[0] = connected(&ends[1]);
  const int mine = child() == 0;
  close(ends[!mine]);
  if (mine == 0) ready();
  char byte;
  recv(ends[mine], &byte, 1, 0);
}

/// Two files; `lock` waits.
static void lock_in_turn(void (*lock)(int fd)) {
  char names[2][32] = {"/tmp/stuck-a-XXXXXX", "/tmp/stuck-b-XXXXXX"};
  pipes();
  for (int i = 0; i < 2; i++) close(mkstemp(names[i]));
  const int mine = child() == 0;
  int files[2];
  for (int i = 0; i < 2; i++) files[i] = open(names[i], O_RDWR);
  lock(files[mine]);
  const int tells = mine ? ends[1] : back[1], listens = mine ? back[0] : ends[0];
  char byte = 0;
  must(write(tells, &byte, 1) == 1 && read(listens, &byte, 1) == 1, "the other's lock");
  unlink(names[mine]);
  for (int i = 0; i < 2; i++) {
    close(ends[i]);
    close(back[i]);
  }
  if (mine == 0) ready();
  lock(files[!mine]);
}

static void lock_whole(int fd) { flock(fd, LOCK_EX); }

/// Locks of open files: the kernel looks for no cycles of these.
static void lock_range(int fd) {
  struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 100, .l_len = 50};
  fcntl(fd, F_OFD_SETLKW, &range);
}

static void flocks(void) { lock_in_turn(lock_whole); }
static void ranges(void) { lock_in_turn(lock_range); }

/// One by a range of a file, back by a pipe: the kernel sees no cycle.
static void range_and_pipe(void) {
  char name[] = "/tmp/stuck-XXXXXX";
  const int file = mkstemp(name);
  unlink(name);
  pipes();
  struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 10, .l_len = 5};
  fcntl(file, F_SETLKW, &range);
  if (child() == 0) {
    close(ends[0]);
    fcntl(file, F_SETLKW, &range);
  }
  close(ends[1]);
  ready();
  read_byte(ends[0]);
}

static void eventfds(void) {
  const int event = eventfd(0, 0);
  uint64_t value;
  ready();
  must(read(event, &value, sizeof value) > 0, "read");
}

static void own_pipe(void) {
  pipes();
  ready();
  read_byte(ends[0]);
}

// ---- left alone: no cycle

static void* holds_and_ends(void* argument) {
  (void)argument;
  pthread_mutex_lock(&first);
  return NULL;
}

static void owner_ended(void) {
  pthread_join(begin(holds_and_ends, NULL), NULL);
  ready();
  pthread_mutex_lock(&first);
}

static void* holds_and_stays(void* argument) {
  (void)argument;
  pthread_mutex_lock(&first);
  pthread_barrier_wait(&all_hold);
  stay();
  return NULL;
}

static void held_by_sleeper(void) {
  pthread_barrier_init(&all_hold, NULL, 2);
  begin(holds_and_stays, NULL);
  pthread_barrier_wait(&all_hold);
  ready();
  pthread_mutex_lock(&first);
}

static void* times_out(void* argument) {
  (void)argument;
  pthread_mutex_lock(&first);
  pthread_barrier_wait(&all_hold);
  const struct timespec end = {1l << 40, 0};
  pthread_mutex_timedlock(&second, &end);
  stay();
  return NULL;
}

static void timed(void) {
  pthread_barrier_init(&all_hold, NULL, 2);
  begin(times_out, NULL);
  pthread_mutex_lock(&second);
  pthread_barrier_wait(&all_hold);
  ready();
  pthread_mutex_lock(&first);
}

static void* waits_for_change(void* argument) {
  (void)argument;
  pthread_mutex_lock(&first);
  for (;;) pthread_cond_wait(&changed, &first);
  return NULL;
}

static void condition(void) {
  begin(waits_for_change, NULL);
  begin(waits_for_change, NULL);
  ready();
  waits_for_change(NULL);
}

static void wakes(int signal) { (void)signal; }

/// A signal handler may write to the pipe.
static void own_pipe_and_handler(void) {
  signal(SIGUSR1, wakes);
  own_pipe();
}

/// The handler may end poll().
static void polls_two_and_handler(void) {
  signal(SIGUSR1, wakes);
  polls_two();
}

static void opens_fifo(void) {
  must(mkfifo("there", 0600) == 0, "mkfifo");
  ready();
  open("there", O_RDONLY);
}

/// A pool: its parent waits for children, which wait for work that comes from outside.
static void pool(void) {
  ends[0] = socket(AF_INET, SOCK_STREAM, 0);
  listen(ends[0], 5);
  for (int i = 0; i < 3; i++)
    if (child() == 0) accept(ends[0], NULL, NULL);
  ready();
  wait(NULL);
}

/// A server waits for its client, which waits for the server's answer; but the server serves whoever comes.
static void server_and_client(void) {
  must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
  const int mine = child() == 0, loop = epoll_create1(0);
  close(ends[!mine]);
  struct epoll_event event = {.events = EPOLLIN};
  epoll_ctl(loop, EPOLL_CTL_ADD, ends[mine], &event);
  if (mine == 0) {
    ready();
    epoll_wait(loop, &event, 1, -1);
  }
  read_byte(ends[mine]);
}

static void socket_with_time_out(void) {
  must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
  const struct timeval long_time = {1 << 20, 0};
  setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &long_time, sizeof long_time);
  const int mine = child() == 0;
  close(ends[!mine]);
  if (mine == 0) ready();
  read_byte(ends[mine]);
}

static void polled_for_a_time(void) {
  pipes();
  struct pollfd one = {ends[0], POLLIN, 0};
  ready();
  poll(&one, 1, 1 << 30);
}

static void selects(void) {
  pipes();
  fd_set both;
  FD_ZERO(&both);
  FD_SET(ends[0], &both);
  FD_SET(back[0], &both);
  ready();
  select(64, &both, NULL, NULL, NULL);
}

static void child_works(void) {
  if (child() == 0) stay();
  ready();
  wait(NULL);
}

static void listens(void) {
  const int server = socket(AF_INET, SOCK_STREAM, 0);
  listen(server, 5);
  ready();
  accept(server, NULL, NULL);
}

static void timer(void) {
  const int fd = timerfd_create(CLOCK_MONOTONIC, 0);
  uint64_t value;
  ready();
  must(read(fd, &value, sizeof value) > 0, "read");
}

static void flock_held_by_sleeper(void) {
  char name[] = "/tmp/stuck-XXXXXX";
  close(mkstemp(name));
  pipes();
  if (child() == 0) {
    lock_whole(open(name, O_RDWR));
    must(write(ends[1], name, 1) == 1, "write");
    stay();
  }
  char byte;
  must(read(ends[0], &byte, 1) == 1, "read");
  const int file = open(name, O_RDWR);
  unlink(name);
  ready();
  lock_whole(file);
}

/// Its own lock is in nobody's way, and not in its own.
static void range_grows(void) {
  char name[] = "/tmp/stuck-XXXXXX";
  const int file = mkstemp(name);
  unlink(name);
  pipes();
  struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 10, .l_len = 10};
  if (child() == 0) {
    fcntl(file, F_SETLKW, &range);
    must(write(ends[1], name, 1) == 1, "write");
    stay();
  }
  char byte;
  must(read(ends[0], &byte, 1) == 1, "read");
  range.l_start = 0;
  fcntl(file, F_SETLKW, &range);
  range.l_len = 20;
  ready();
  fcntl(file, F_SETLKW, &range);
}

// ---- at work, as fast as they can

static void ping_pong(void) {
  pipes();
  const int mine = child() == 0;
  char byte = 0;
  if (mine == 0) must(write(ends[1], &byte, 1) == 1, "write");
  const int from = mine ? ends[0] : back[0], to = mine ? back[1] : ends[1];
  close(mine ? ends[1] : back[1]);
  close(mine ? back[0] : ends[0]);
  if (mine == 0) ready();
  while (read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1) {
  }
}

static void* locks_both(void* argument) {
  for (;;) {
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
  }
  return argument;
}

static void contended(void) {
  begin(locks_both, NULL);
  begin(locks_both, NULL);
  ready();
  locks_both(NULL);
}

static int whose_turn;

static void* takes_turns(void* argument) {
  const int mine = argument != NULL;
  for (;;) {
    pthread_mutex_lock(&first);
    while (whose_turn != mine) pthread_cond_wait(&changed, &first);
    whose_turn = !mine;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&first);
  }
  return argument;
}

static void turns(void) {
  begin(takes_turns, &whose_turn);
  ready();
  takes_turns(NULL);
}

static void semaphore(void) {
  sem_init(&never, 0, 0);
  ready();
  sem_wait(&never);
}

static void sleeps(void) {
  ready();
  stay();
}

static const struct {
  const char* name;
  void (*run)(void);
} kWays[] = {
    {"mutexes", mutexes},
    {"three_mutexes", three_mutexes},
    {"recursive", recursive},
    {"errorcheck", errorcheck},
    {"robust", robust},
    {"inheriting", inheriting},
    {"three_inheriting", three_inheriting},
    {"only_inheriting", only_inheriting},
    {"self", self},
    {"behind", behind},
    {"between_processes", between_processes},
    {"rwlocks", rwlocks},
    {"joins", joins},
    {"mutex_and_join", mutex_and_join},
    {"stream", stream},
    {"owner_ended", owner_ended},
    {"held_by_sleeper", held_by_sleeper},
    {"timed", timed},
    {"condition", condition},
    {"semaphore", semaphore},
    {"sleeps", sleeps},
    {"ping_pong", ping_pong},
    {"contended", contended},
    {"turns", turns},
    {"pipes_read", pipes_read},
    {"pipes_full", pipes_full},
    {"child_reads", child_reads},
    {"child_by_waitid", child_by_waitid},
    {"fifos", fifos},
    {"mutex_and_pipe", mutex_and_pipe},
    {"mutex_and_child", mutex_and_child},
    {"unix_sockets", unix_sockets},
    {"unix_polled", unix_polled},
    {"tcp_sockets", tcp_sockets},
    {"flocks", flocks},
    {"polls_two", polls_two},
    {"polls_two_and_handler", polls_two_and_handler},
    {"opens_fifo", opens_fifo},
    {"ranges", ranges},
    {"range_and_pipe", range_and_pipe},
    {"eventfds", eventfds},
    {"own_pipe", own_pipe},
    {"own_pipe_and_handler", own_pipe_and_handler},
    {"pool", pool},
    {"server_and_client", server_and_client},
    {"socket_with_time_out", socket_with_time_out},
    {"polled_for_a_time", polled_for_a_time},
    {"selects", selects},
    {"child_works", child_works},
    {"listens", listens},
    {"timer", timer},
    {"range_grows", range_grows},
    {"flock_held_by_sleeper", flock_held_by_sleeper},
};

int main(int argc, char** argv) {
  for (size_t i = 0; argc > 1 && i < sizeof kWays / sizeof *kWays; i++)
    if (strcmp(argv[1], kWays[i].name) == 0) kWays[i].run();
  return 1;
}
