// SPDX-License-Identifier: GPL-3.0-or-later
// Events of its own, made on demand: watch:?tmp?spool::create, ::delete and ::modify fire when something happens to a
// file in the folder /tmp/spool. args[0] says how often, args[1] which file. Written from docs/add-a-provider.md and
// docs/provider-interface.md alone.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sonde/provider.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

struct watch {
  dtrace_id_t id;
  uint32_t event;
  atomic_int wd;  // -1: not enabled
  uintptr_t number;
  struct watch* next;
  char path[256];
};

static const struct {
  const char* name;
  uint32_t event;
} kinds[] = {{"create", IN_CREATE}, {"delete", IN_DELETE}, {"modify", IN_MODIFY}};

static dtrace_provider_id_t provider;
static _Atomic(struct watch*) watches;  // grows at its head, so that the thread needs no lock
static int events = -1, wake = -1, enabled;
static pthread_t thread;

static void fire(const struct inotify_event* event) {
  for (struct watch* watch = watches; watch != NULL; watch = watch->next) {
    if (watch->wd != event->wd || (watch->event & event->mask) == 0) continue;
    const uintptr_t args[] = {++watch->number, (uintptr_t)(event->len == 0 ? "" : event->name)};
    sonde_probe_fire(watch->id, args, 2, 1 << 1);
  }
}

static void* run(void* unused) {
  char buffer[4096] __attribute__((aligned(8)));
  struct pollfd fds[2] = {{events, POLLIN, 0}, {wake, POLLIN, 0}};
  while (poll(fds, 2, -1) > 0 && (fds[1].revents & POLLIN) == 0) {
    const ssize_t size = read(events, buffer, sizeof buffer);
    for (ssize_t at = 0; at < size;) {
      const struct inotify_event* event = (const struct inotify_event*)(buffer + at);
      fire(event);
      at += (ssize_t)sizeof *event + event->len;
    }
  }
  return unused;
}

static void make(const char* path, const char* name, uint32_t event) {
  struct watch* watch = calloc(1, sizeof *watch);
  snprintf(watch->path, sizeof watch->path, "%s", path);
  watch->event = event;
  watch->wd = -1;
  watch->id = dtrace_probe_create(provider, path, "", name, 0, watch);
  if (watch->id == 0 || dtrace_probe_arg(provider, watch->id) != watch) {  // there is one already
    free(watch);
    return;
  }
  watch->next = watches;
  watches = watch;
}

static void provide(void* arg, const dtrace_probedesc_t* spec) {
  char path[256], why[400];
  if (spec == NULL || strcmp(spec->dtpd_provider, "watch") != 0) return;
  snprintf(path, sizeof path, "%s", spec->dtpd_mod);
  for (char* p = path; *p != '\0'; p++)
    if (*p == '?') *p = '/';
  if (path[0] != '/')
    return sonde_provide_error("D_WATCH_PATH", "a watch probe's module is a path: watch:?tmp::create");
  if (access(path, F_OK) != 0) {
    snprintf(why, sizeof why, "cannot watch %s: %s", path, strerror(errno));
    return sonde_provide_error("D_WATCH_PATH", why);
  }
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (sonde_glob_match(spec->dtpd_name, kinds[i].name)) make(path, kinds[i].name, kinds[i].event);
}

static void enable(void* arg, dtrace_id_t id, void* parg) {
  struct watch* watch = parg;
  if (enabled++ == 0) {
    sigset_t all, before;
    events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    wake = eventfd(0, EFD_CLOEXEC);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_create(&thread, NULL, run, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
  watch->wd = inotify_add_watch(events, watch->path, watch->event | IN_MASK_ADD);
  if (watch->wd < 0) sonde_print_message("watch: a folder cannot be watched");
}

static void disable(void* arg, dtrace_id_t id, void* parg) {
  const uint64_t one = 1;
  ((struct watch*)parg)->wd = -1;
  if (--enabled > 0) return;
  if (write(wake, &one, sizeof one) != sizeof one) abort();
  pthread_join(thread, NULL);
  close(events);
  close(wake);
}

static void getargdesc(void* arg, dtrace_id_t id, void* parg, dtrace_argdesc_t* desc) {
  if (desc->dtargd_ndx > 1) {
    desc->dtargd_ndx = DTRACE_ARGNONE;
    return;
  }
  strcpy(desc->dtargd_native, desc->dtargd_ndx == 0 ? "struct __watch *" : "string");
  if (desc->dtargd_ndx == 0) strcpy(desc->dtargd_xlate, "watchinfo_t *");
  desc->dtargd_mapping = desc->dtargd_ndx;
}

static void destroy(void* arg, dtrace_id_t id, void* parg) {}  // the list ends with the process

static int start(void) {
  static const dtrace_attribute_t evolving = {DTRACE_STABILITY_EVOLVING, DTRACE_STABILITY_EVOLVING,
                                              DTRACE_CLASS_COMMON};
  const dtrace_pattr_t attributes = {evolving, evolving, evolving, evolving, evolving};
  const dtrace_pops_t ops = {
      .dtps_provide = provide,
      .dtps_enable = enable,
      .dtps_disable = disable,
      .dtps_getargdesc = getargdesc,
      .dtps_destroy = destroy,
  };
  return dtrace_register("watch", &attributes, DTRACE_PRIV_USER, NULL, &ops, NULL, &provider);
}

static void stop(void) { dtrace_unregister(provider); }

SONDE_PLUGIN(start, stop, sonde_texts);
