/* SPDX-License-Identifier: MIT */
/*
 * sqlite: what programs ask of SQLite, by taps on the functions of its library
 *
 *   sqlite:MODULE:sqlite3_prepare*:prepare-start   args[0] sqlstmt_t *   args[1] where its sqlite3_stmt * will be stored
 *   sqlite:MODULE:sqlite3_prepare*:prepare-done    args[0] int, the result: 0 is good
 *   sqlite:MODULE:sqlite3_step:step-start          args[0] sqlite3_stmt *
 *   sqlite:MODULE:sqlite3_step:step-done           args[0] int, the result: 100 a row, 101 done
 *   sqlite:MODULE:sqlite3_finalize:finalize        args[0] sqlite3_stmt *
 *
 * MODULE is the file that has them: libsqlite3.so.0, or a program that SQLite is linked into, which SQLITE names. The probes of
 * the system's library are there from the start, so that what every process does with it is seen; those of another one when a target has it:
 * one in a container, or one that was replaced or deleted since. Of files with one name, the second is MODULE~2, and so on.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sonde/provider.h>

struct row {
  const char *function, *name;
  enum sonde_tap_kind kind;
  int argument;           /* argN that args[0] is made of */
  const char *native;     /* its type */
  const char *translated; /* to what; "" as it is */
  int handle;             /* argN that args[1] is: where the statement's handle will be stored; 0: there is no args[1] */
};

static const struct row rows[] = {
    {"sqlite3_prepare", "prepare-start", SONDE_TAP_USER_ENTRY, 0, "struct __sqlite_prepare *", "sqlstmt_t *", 3},
    {"sqlite3_prepare", "prepare-done", SONDE_TAP_USER_RETURN, 1, "int", "", 0},
    {"sqlite3_prepare_v2", "prepare-start", SONDE_TAP_USER_ENTRY, 0, "struct __sqlite_prepare *", "sqlstmt_t *", 3},
    {"sqlite3_prepare_v2", "prepare-done", SONDE_TAP_USER_RETURN, 1, "int", "", 0},
    {"sqlite3_prepare_v3", "prepare-start", SONDE_TAP_USER_ENTRY, 0, "struct __sqlite_prepare *", "sqlstmt_t *", 4},
    {"sqlite3_prepare_v3", "prepare-done", SONDE_TAP_USER_RETURN, 1, "int", "", 0},
    {"sqlite3_step", "step-start", SONDE_TAP_USER_ENTRY, 0, "uintptr_t", "", 0},
    {"sqlite3_step", "step-done", SONDE_TAP_USER_RETURN, 1, "int", "", 0},
    {"sqlite3_finalize", "finalize", SONDE_TAP_USER_ENTRY, 0, "uintptr_t", "", 0},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* What a probe owns: where its taps go. */
struct probe {
  const struct row *row;
  char *path;
  size_t count;
  struct sonde_place *places;
};

/* A file that has been looked into. The same name may lead to another file in a target, or after an update. */
struct file {
  dev_t device;
  ino_t number;
  char module[256];
};

static dtrace_provider_id_t provider;
static struct file files[64];
static int file_count;

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static void free_probe(struct probe *probe) {
  free(probe->path);
  free(probe->places);
  free(probe);
}

static void add_place(void *arg, const struct sonde_place *place) {
  struct probe *probe = arg;
  struct sonde_place *more = realloc(probe->places, (probe->count + 1) * sizeof *more);
  if (more == NULL) return;
  probe->places = more;
  more[probe->count++] = *place;
}

/* A probe that cannot be armed is made, too: its name is listed, with the reason. */
static void create(const char *path, const char *module, const struct row *row) {
  struct probe *probe = calloc(1, sizeof *probe);
  dtrace_id_t id;
  int error;
  if (probe == NULL) return;
  probe->row = row;
  probe->path = strdup(path);
  error = sonde_function_places(path, row->function, row->kind, add_place, probe);
  if (error == ENOENT) return free_probe(probe);
  id = dtrace_probe_create(provider, module, row->function, row->name, 0, probe);
  if (id == 0 || dtrace_probe_arg(provider, id) != probe) return free_probe(probe); /* it was there already */
  if (error != 0) sonde_probe_refuse(id, strerror(error), 0);
}

static int is_sqlite(const char *name) {
  const char *named = getenv("SQLITE");
  return strncmp(name, "libsqlite3.so", 13) == 0 || (named != NULL && strcmp(base_name(named), name) == 0);
}

/* Makes the probes of a file that `path` opens and that is called `name`, unless it has them. */
static void look_into(const char *path, const char *name) {
  struct stat is;
  struct file *file = &files[file_count];
  int same_name = 1;
  if (file_count == sizeof files / sizeof files[0] || stat(path, &is) != 0) return;
  for (int i = 0; i < file_count; i++) {
    if (files[i].device == is.st_dev && files[i].number == is.st_ino) return;
    const size_t length = strcspn(files[i].module, "~");
    if (strlen(name) == length && strncmp(files[i].module, name, length) == 0) same_name++;
  }
  file->device = is.st_dev;
  file->number = is.st_ino;
  snprintf(file->module, sizeof file->module, same_name == 1 ? "%s" : "%s~%d", name, same_name);
  file_count++;
  for (int i = 0; i < ROWS; i++) create(path, file->module, &rows[i]);
}

/* `mapping->file` opens what the process has mapped, whatever its path leads to here, and is passed on as it is: realpath()
 * would lead to our own file of that name. */
static void look_into_mapping(void *arg, const struct sonde_mapping *mapping) {
  (void)arg;
  if (is_sqlite(base_name(mapping->path))) look_into(mapping->file, base_name(mapping->path));
}

static void look_into_target(void *arg, uint32_t pid) {
  (void)arg;
  sonde_mappings(pid, look_into_mapping, NULL);
}

static void follow(void *arg, uint32_t pid) {
  (void)arg;
  sonde_follow(pid);
}

static void provide(void *arg, const dtrace_probedesc_t *spec) {
  static const char *const places[] = {"/usr/lib/x86_64-linux-gnu/libsqlite3.so.0", "/usr/lib64/libsqlite3.so.0",
                                       "/usr/lib/libsqlite3.so.0"};
  const char *named = getenv("SQLITE");
  (void)arg;
  if (spec != NULL) {
    sonde_targets(look_into_target, NULL);
    /* Somebody asks for probes that are not there: a target may map the library later. */
    if (sonde_glob_match(spec->dtpd_provider, "sqlite")) sonde_targets(follow, NULL);
    return;
  }
  if (named != NULL) look_into(named, base_name(named));
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    char real[PATH_MAX];
    if (realpath(places[i], real) == NULL) continue;
    look_into(real, base_name(real));
    break;
  }
  sonde_targets(look_into_target, NULL);
}

/* The path is the target's, which may have another root: its mappings say what opens the file. */
static void provide_module(void *arg, const char *path) {
  (void)arg;
  if (is_sqlite(base_name(path))) sonde_targets(look_into_target, NULL);
}

static void enable(void *arg, dtrace_id_t id, void *parg) {
  const struct probe *probe = parg;
  (void)arg;
  for (size_t i = 0; i < probe->count; i++) {
    struct sonde_tap_request request = {0};
    request.size = sizeof request;
    request.kind = probe->row->kind;
    request.path = probe->path;
    request.offset = probe->places[i].offset;
    request.function = probe->places[i].function;
    request.leave = probe->places[i].leave;
    sonde_tap_arm(id, &request);
  }
}

static void disable(void *arg, dtrace_id_t id, void *parg) {
  (void)arg, (void)parg;
  sonde_tap_disarm(id);
}

static void getargdesc(void *arg, dtrace_id_t id, void *parg, dtrace_argdesc_t *desc) {
  const struct row *row = ((const struct probe *)parg)->row;
  (void)arg, (void)id;
  if (desc->dtargd_ndx == 1 && row->handle != 0) {
    strcpy(desc->dtargd_native, "uintptr_t");
    desc->dtargd_mapping = row->handle;
  } else if (desc->dtargd_ndx == 0) {
    snprintf(desc->dtargd_native, sizeof desc->dtargd_native, "%s", row->native);
    snprintf(desc->dtargd_xlate, sizeof desc->dtargd_xlate, "%s", row->translated);
    desc->dtargd_mapping = row->argument;
  } else {
    desc->dtargd_ndx = DTRACE_ARGNONE;
  }
}

static void destroy(void *arg, dtrace_id_t id, void *parg) {
  (void)arg, (void)id;
  free_probe(parg);
  file_count = 0; /* dtps_provide(NULL) will be called again, or never */
}

static int start(void) {
  const dtrace_attribute_t evolving = {DTRACE_STABILITY_EVOLVING, DTRACE_STABILITY_EVOLVING, DTRACE_CLASS_COMMON};
  const dtrace_pattr_t attributes = {evolving, evolving, evolving, evolving, evolving};
  const dtrace_pops_t ops = {
      .dtps_provide = provide,
      .dtps_provide_module = provide_module,
      .dtps_enable = enable,
      .dtps_disable = disable,
      .dtps_getargdesc = getargdesc,
      .dtps_destroy = destroy,
  };
  return dtrace_register("sqlite", &attributes, DTRACE_PRIV_USER, NULL, &ops, NULL, &provider);
}

static void stop(void) { dtrace_unregister(provider); }

SONDE_PLUGIN(start, stop, sonde_texts);
