// SPDX-License-Identifier: GPL-3.0-or-later
// A provider for each target, by the hooks: lives42:::gone fires when process 42 has ended or was let go, with its pid,
// and lives:::gone for each. Written from docs/provider-interface.md alone.
#include <sonde/provider.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };
struct life {
  dtrace_provider_id_t provider;
  dtrace_id_t gone;
  uint32_t pid;
};
static struct life every, lives[MOST];
static int count;

static void provide(void* arg, const dtrace_probedesc_t* spec) {
  struct life* life = arg;
  if (spec == NULL) life->gone = dtrace_probe_create(life->provider, "", "", "gone", 0, life);
}
static void enable(void* arg, dtrace_id_t id, void* parg) {}
static void destroy(void* arg, dtrace_id_t id, void* parg) { ((struct life*)parg)->gone = 0; }

static void getargdesc(void* arg, dtrace_id_t id, void* parg, dtrace_argdesc_t* desc) {
  if (desc->dtargd_ndx == 0)
    strcpy(desc->dtargd_native, "pid_t");
  else
    desc->dtargd_ndx = DTRACE_ARGNONE;
}

static int add(struct life* life, const char* name) {
  static const dtrace_attribute_t evolving = {DTRACE_STABILITY_EVOLVING, DTRACE_STABILITY_EVOLVING,
                                              DTRACE_CLASS_COMMON};
  const dtrace_pattr_t attributes = {evolving, evolving, evolving, evolving, evolving};
  const dtrace_pops_t ops = {
      .dtps_provide = provide,
      .dtps_enable = enable,
      .dtps_disable = enable,
      .dtps_getargdesc = getargdesc,
      .dtps_destroy = destroy,
  };
  return dtrace_register(name, &attributes, DTRACE_PRIV_USER, NULL, &ops, life, &life->provider);
}

static void come(void* arg, uint32_t pid) {
  char name[32];
  snprintf(name, sizeof name, "lives%u", pid);
  if (count == MOST) return;
  lives[count].pid = pid;
  if (add(&lives[count], name) == 0) count++;
}

static void ended(void* arg, uint32_t pid) {
  if (every.gone != 0) dtrace_probe(every.gone, pid, 0, 0, 0, 0);
  for (int i = 0; i < count; i++) {
    if (lives[i].pid != pid) continue;
    if (lives[i].gone != 0) dtrace_probe(lives[i].gone, pid, 0, 0, 0, 0);
    dtrace_invalidate(lives[i].provider);  // the name is free now
    lives[i].pid = 0;
  }
}

static int start(void) {
  const int error = add(&every, "lives");
  if (error != 0) return error;
  const int come_error = sonde_on_target(every.provider, come, NULL);
  return come_error != 0 ? come_error : sonde_on_target_end(every.provider, ended, NULL);
}

static void stop(void) {
  for (int i = 0; i < count; i++) dtrace_unregister(lives[i].provider);
  dtrace_unregister(every.provider);
}

SONDE_PLUGIN(start, stop, NULL);
