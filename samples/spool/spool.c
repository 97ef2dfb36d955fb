/* SPDX-License-Identifier: MIT */
/*
 * spool: a folder that serves as a queue of files, as those of print and mail servers do
 *
 *   spool:::arrive   a file is complete           arg0 files that wait   arg1 its bytes   arg2 0
 *   spool:::leave    a file was taken             arg0 files that wait   arg1 its bytes   arg2 ns that it has waited
 *   spool:::depth    ten times a second           arg0 files that wait   arg1 0           arg2 ns that the oldest waits
 *
 * One thread waits for three things: inotify, a timer, and the end. It runs while a probe is enabled. The mutex is held while a probe
 * fires, so that spool_disable() returns when nothing fires any more; firing never blocks.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <sonde/provider.h>

enum spool_kind { ARRIVE, LEAVE, DEPTH, KINDS };
static const char *const names[KINDS] = {"arrive", "leave", "depth"};

struct waiting {
  struct waiting *next; /* the one that came after it */
  uint64_t since, bytes;
  char name[NAME_MAX + 1];
};

static dtrace_provider_id_t provider;
static dtrace_id_t probes[KINDS];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static int enabled[KINDS];
static struct waiting *oldest, **newest = &oldest;
static int count;

static pthread_t thread;
static int users, inotify = -1, timer = -1, end = -1;

static const char *folder(void) {
  const char *name = getenv("SPOOL");
  return name != NULL ? name : "spool";
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* The name is a text: bit 3. It is copied before the call returns. */
static void fire(enum spool_kind kind, const char *name, uint64_t bytes, uint64_t waited) {
  const uintptr_t args[] = {(uintptr_t)count, bytes, waited, (uintptr_t)name};
  if (enabled[kind]) sonde_probe_fire(probes[kind], args, 4, 1u << 3);
}

/* ---- the queue: with the mutex held ---- */

/* A file that has gone again by now counts, too: without its bytes. */
static void arrive(const char *name, int is_new) {
  char path[PATH_MAX];
  struct stat file = {0};
  struct waiting *added;
  if (snprintf(path, sizeof path, "%s/%s", folder(), name) >= (int)sizeof path) return;
  if (stat(path, &file) == 0 ? !S_ISREG(file.st_mode) : !is_new) return;
  added = calloc(1, sizeof *added);
  if (added == NULL) return;
  added->since = now();
  added->bytes = (uint64_t)file.st_size;
  snprintf(added->name, sizeof added->name, "%s", name);
  *newest = added;
  newest = &added->next;
  count++;
  if (is_new) fire(ARRIVE, name, added->bytes, 0);
}

static void leave(const char *name) {
  struct waiting **at;
  for (at = &oldest; *at != NULL; at = &(*at)->next) {
    struct waiting *gone = *at;
    if (strcmp(gone->name, name) != 0) continue;
    *at = gone->next;
    if (*at == NULL) newest = at;
    count--;
    fire(LEAVE, name, gone->bytes, now() - gone->since);
    free(gone);
    return;
  }
}

static void forget_all(void) {
  while (oldest != NULL) {
    struct waiting *gone = oldest;
    oldest = gone->next;
    free(gone);
  }
  newest = &oldest;
  count = 0;
}

static void look_through_folder(void) {
  struct dirent *entry;
  DIR *files = opendir(folder());
  if (files == NULL) return;
  while ((entry = readdir(files)) != NULL) arrive(entry->d_name, 0);
  closedir(files);
}

/* ---- the thread ---- */

static void take_events(void) {
  _Alignas(struct inotify_event) char buffer[4096];
  const ssize_t length = read(inotify, buffer, sizeof buffer);
  ssize_t at = 0;
  while (at < length) {
    const struct inotify_event *event = (const struct inotify_event *)(buffer + at);
    const int is_file = !(event->mask & IN_ISDIR);
    if (is_file && event->mask & (IN_CLOSE_WRITE | IN_MOVED_TO)) arrive(event->name, 1);
    if (is_file && event->mask & (IN_DELETE | IN_MOVED_FROM)) leave(event->name);
    at += (ssize_t)(sizeof *event + event->len);
  }
}

static void *watch(void *unused) {
  struct pollfd ready[3] = {{inotify, POLLIN, 0}, {timer, POLLIN, 0}, {end, POLLIN, 0}};
  (void)unused;
  for (;;) {
    uint64_t times;
    if (poll(ready, 3, -1) < 0) continue;
    if (ready[2].revents != 0) return NULL;
    pthread_mutex_lock(&mutex);
    if (ready[0].revents != 0) take_events();
    if (ready[1].revents != 0 && read(timer, &times, sizeof times) > 0)
      fire(DEPTH, oldest != NULL ? oldest->name : "", 0, oldest != NULL ? now() - oldest->since : 0);
    pthread_mutex_unlock(&mutex);
  }
}

/* The thread blocks all signals: they are the session's. */
static void start_thread(void) {
  const struct itimerspec tenth = {{0, 100000000}, {0, 100000000}};
  sigset_t all, before;
  inotify = inotify_init1(IN_CLOEXEC);
  inotify_add_watch(inotify, folder(), IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM);
  timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  timerfd_settime(timer, 0, &tenth, NULL);
  end = eventfd(0, EFD_CLOEXEC);
  look_through_folder();
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_create(&thread, NULL, watch, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void end_thread(void) {
  const uint64_t one = 1;
  if (write(end, &one, sizeof one) == sizeof one) pthread_join(thread, NULL);
  close(inotify);
  close(timer);
  close(end);
  forget_all();
}

/* ---- the ops ---- */

/* The probes are there whether or not the folder is; without it they cannot be armed, and sonde says why. */
static void provide(void *arg, const dtrace_probedesc_t *spec) {
  char why[PATH_MAX + 80];
  const int missing = access(folder(), R_OK | X_OK) != 0;
  (void)arg;
  if (spec != NULL) return;
  snprintf(why, sizeof why, "there is no folder %s that can be read: name one by SPOOL", folder());
  for (int kind = 0; kind < KINDS; kind++) {
    probes[kind] = dtrace_probe_create(provider, "", "", names[kind], 0, (void *)(intptr_t)kind);
    sonde_probe_refuse(probes[kind], missing ? why : NULL, 0);
  }
}

static void enable(void *arg, dtrace_id_t id, void *parg) {
  (void)arg, (void)id;
  if (users++ == 0) start_thread();
  pthread_mutex_lock(&mutex);
  enabled[(intptr_t)parg] = 1;
  pthread_mutex_unlock(&mutex);
}

static void disable(void *arg, dtrace_id_t id, void *parg) {
  (void)arg, (void)id;
  pthread_mutex_lock(&mutex);
  enabled[(intptr_t)parg] = 0;
  pthread_mutex_unlock(&mutex);
  if (--users == 0) end_thread();
}

static void getargdesc(void *arg, dtrace_id_t id, void *parg, dtrace_argdesc_t *desc) {
  (void)arg, (void)id, (void)parg;
  switch (desc->dtargd_ndx) {
    case 0:
      strcpy(desc->dtargd_native, "struct __spool *");
      strcpy(desc->dtargd_xlate, "spoolinfo_t *");
      break;
    case 1:
      strcpy(desc->dtargd_native, "string");
      strcpy(desc->dtargd_name, "name");
      desc->dtargd_mapping = 3;
      break;
    default: desc->dtargd_ndx = DTRACE_ARGNONE;
  }
}

static void destroy(void *arg, dtrace_id_t id, void *parg) { (void)arg, (void)id, (void)parg; }

static int start(void) {
  const dtrace_attribute_t evolving = {DTRACE_STABILITY_EVOLVING, DTRACE_STABILITY_EVOLVING, DTRACE_CLASS_COMMON};
  const dtrace_pattr_t attributes = {evolving, evolving, evolving, evolving, evolving};
  const dtrace_pops_t ops = {
      .dtps_provide = provide,
      .dtps_enable = enable,
      .dtps_disable = disable,
      .dtps_getargdesc = getargdesc,
      .dtps_destroy = destroy,
  };
  return dtrace_register("spool", &attributes, DTRACE_PRIV_USER, NULL, &ops, NULL, &provider);
}

static void stop(void) { dtrace_unregister(provider); }

SONDE_PLUGIN(start, stop, sonde_texts);
