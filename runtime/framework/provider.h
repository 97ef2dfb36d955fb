/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The provider interface: DTrace's, as a C ABI in user space.
 *
 * A provider registers with dtrace_register() and creates probes; the framework calls its
 * ops. Which call may be made from where stands in docs/provider-interface.md and is enforced
 * in every build. A provider whose events come from traced threads arms taps in dtps_enable with
 * sonde_tap_arm() and disarms them in dtps_disable; one that fires by itself calls dtrace_probe().
 */
#ifndef SONDE_PROVIDER_H
#define SONDE_PROVIDER_H

#include <stdint.h>

#include "kmod/shared/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t dtrace_id_t;
typedef uintptr_t dtrace_provider_id_t;

#define DTRACE_PROVNAMELEN 64
#define DTRACE_MODNAMELEN 256   /* DTrace has 64; a file may have a name of 255 bytes */
#define DTRACE_FUNCNAMELEN 2048 /* DTrace has 128; C++ has longer ones */
#define DTRACE_NAMELEN 64
#define DTRACE_ARGTYPELEN 128
#define DTRACE_ARGNONE (-1)

typedef struct dtrace_probedesc {
  dtrace_id_t dtpd_id;                    /* 0: any */
  char dtpd_provider[DTRACE_PROVNAMELEN]; /* empty: any; else a glob */
  char dtpd_mod[DTRACE_MODNAMELEN];
  char dtpd_func[DTRACE_FUNCNAMELEN];
  char dtpd_name[DTRACE_NAMELEN];
} dtrace_probedesc_t;

typedef struct dtrace_argdesc {
  dtrace_id_t dtargd_id;
  int32_t dtargd_ndx;                    /* in: which args[n]; out: DTRACE_ARGNONE when there is none */
  int32_t dtargd_mapping;                /* index of the raw argument (argN) that it is made from */
  char dtargd_native[DTRACE_ARGTYPELEN]; /* its C type */
  char dtargd_xlate[DTRACE_ARGTYPELEN];  /* the D type it is translated to, or empty */
  char dtargd_name[DTRACE_NAMELEN];      /* name of the parameter where known */
} dtrace_argdesc_t;

typedef enum dtrace_stability {
  DTRACE_STABILITY_INTERNAL,
  DTRACE_STABILITY_PRIVATE,
  DTRACE_STABILITY_OBSOLETE,
  DTRACE_STABILITY_EXTERNAL,
  DTRACE_STABILITY_UNSTABLE,
  DTRACE_STABILITY_EVOLVING,
  DTRACE_STABILITY_STABLE,
  DTRACE_STABILITY_STANDARD
} dtrace_stability_t;

typedef enum dtrace_class {
  DTRACE_CLASS_UNKNOWN,
  DTRACE_CLASS_CPU,
  DTRACE_CLASS_PLATFORM,
  DTRACE_CLASS_GROUP,
  DTRACE_CLASS_ISA,
  DTRACE_CLASS_COMMON
} dtrace_class_t;

typedef struct dtrace_attribute {
  dtrace_stability_t dtat_name, dtat_data;
  dtrace_class_t dtat_class;
} dtrace_attribute_t;

typedef struct dtrace_pattr {
  dtrace_attribute_t dtpa_provider, dtpa_mod, dtpa_func, dtpa_name, dtpa_args;
} dtrace_pattr_t;

typedef struct dtrace_pops {
  void (*dtps_provide)(void* arg, const dtrace_probedesc_t* spec);
  void (*dtps_provide_module)(void* arg, const char* module); /* path of an ELF object */
  void (*dtps_enable)(void* arg, dtrace_id_t id, void* parg);
  void (*dtps_disable)(void* arg, dtrace_id_t id, void* parg);
  void (*dtps_suspend)(void* arg, dtrace_id_t id, void* parg);
  void (*dtps_resume)(void* arg, dtrace_id_t id, void* parg);
  void (*dtps_getargdesc)(void* arg, dtrace_id_t id, void* parg, dtrace_argdesc_t* desc);
  uint64_t (*dtps_getargval)(void* arg, dtrace_id_t id, void* parg, int argno, int aframes);
  int (*dtps_usermode)(void* arg, dtrace_id_t id, void* parg);
  void (*dtps_destroy)(void* arg, dtrace_id_t id, void* parg);
} dtrace_pops_t;

#define DTRACE_PRIV_NONE 0u
#define DTRACE_PRIV_USER 1u
#define DTRACE_PRIV_KERNEL 2u

/* All return 0 or an errno (positive, as DTrace's do); see docs/provider-interface.md. */
int dtrace_register(const char* name, const dtrace_pattr_t* pap, uint32_t priv, void* cr, const dtrace_pops_t* pops,
                    void* arg, dtrace_provider_id_t* idp);
int dtrace_unregister(dtrace_provider_id_t id);
void dtrace_invalidate(dtrace_provider_id_t id);
int dtrace_condense(dtrace_provider_id_t id);
int dtrace_attached(void);
dtrace_id_t dtrace_probe_create(dtrace_provider_id_t id, const char* mod, const char* func, const char* name,
                                int aframes, void* parg);
dtrace_id_t dtrace_probe_lookup(dtrace_provider_id_t id, const char* mod, const char* func, const char* name);
void* dtrace_probe_arg(dtrace_provider_id_t id, dtrace_id_t probe);
void dtrace_probe(dtrace_id_t probe, uintptr_t arg0, uintptr_t arg1, uintptr_t arg2, uintptr_t arg3, uintptr_t arg4);
/* The framework's default for dtps_getargval: the raw arguments that dtrace_probe() was given. */
uint64_t dtrace_getarg(int argno, int aframes);

/* Taps: only from dtps_enable and dtps_disable. `probe` is the one being enabled or disabled. */
struct sonde_tap_request {
  enum sonde_tap_kind kind;
  uint32_t number;          /* system call; in SONDE_PATH_CODE the bytes that `sum` is of */
  uint32_t pid;             /* 0: all targets */
  const char* path;         /* user taps: the file, else NULL */
  uint64_t offset;          /* in the file, of the instruction */
  uint64_t function;        /* in the file, of the function's first instruction */
  struct sonde_leave leave; /* how a function is left there: see kmod/shared/leave.h */
  uint32_t sum;             /* see struct sonde_tap */
};
/* Arms a tap for `probe`; it is armed when the enabling as a whole has succeeded. */
void sonde_tap_arm(dtrace_id_t probe, const struct sonde_tap_request* request);
/* Disarms all taps of `probe`. */
void sonde_tap_disarm(dtrace_id_t probe);

/* From anywhere: whether taps of this kind can be armed with the source that there is; true while there is none. */
int sonde_tap_possible(enum sonde_tap_kind kind);
/* The same for user taps in memory that is no file's: the vdso, whose path is "[vdso]", and SONDE_PATH_CODE. */
int sonde_tap_memory_possible(void);
/* From anywhere, for messages: the names of the sources that have taps of this kind, `in_memory` as well, such as "kmod". Valid for ever. */
const char* sonde_sources_with(enum sonde_tap_kind kind, int in_memory);

/* From anywhere: whether there is a source at all. Without one no tap is armed: what can fire by itself does so. */
int sonde_has_source(void);
/* From dtps_enable, and dtps_provide: tells the user, on standard error, once tracing has begun. */
void sonde_tell(const char* text);

/* From anywhere: whether system calls that only 32-bit code has can be tapped; likewise. */
int sonde_compat_calls_possible(void);

/* From dtps_provide: says why a description that names this provider can't be had, as a D error tag such as "D_PROC_FUNC" and
 * a text. The compiler reports it when nothing matched. */
void sonde_provide_error(const char* tag, const char* message);

/* From dtps_provide: the probe is listed, but cannot be armed, and why; NULL: it can. A description that names it alone is an
 * error; one that matches others too leaves it out, which is told once unless `quietly`. */
void sonde_probe_refuse(dtrace_id_t probe, const char* why, int quietly);

/* From outside of any op: the provider makes its probes on demand, so dtps_provide is called with every description that
 * names it (its field is not empty and not only stars), matched or not. */
void sonde_provide_always(dtrace_provider_id_t id);
/* From dtps_provide: the probe is one of those that the description names, whatever it is called: pid1:libc:malloc:entry names
 * pid1:libc.so.6:malloc:entry, pid1::app::fib:entry names pid1:a.out:app::fib(int):entry. */
void sonde_provide_match(dtrace_id_t probe);

/* From anywhere: whether `text` matches a field of a description, empty or a glob. */
int sonde_glob_match(const char* pattern, const char* text);

/* The processes that are traced (by -c and -p), and their executable mappings: for providers of user probes. */
struct sonde_mapping {
  uint64_t start, end, offset;
  char path[4096]; /* as the process has it */
  char file[4096]; /* by which it opens here: a way through /proc where `path` does not lead to it */
};
/* Calls `visit` for each target's pid. */
void sonde_targets(void (*visit)(void* arg, uint32_t pid), void* arg);
/* From outside of any op: `hook` is called, also from outside of any op, for each target there is and each that comes,
 * for as long as the provider `owner` is registered. It may register providers. Returns 0 or an errno. */
int sonde_on_target(dtrace_provider_id_t owner, void (*hook)(void* arg, uint32_t pid), void* arg);
/* From dtps_provide: probes may be asked for in files that the target `pid` maps later. From now on its threads wait, when they map
 * one, until dtps_provide_module, and dtps_provide for the descriptions that are enabled, have been called. */
void sonde_follow(uint32_t pid);
/* Calls `visit` for each executable file mapping of `pid`; returns 0 or an errno. */
int sonde_mappings(uint32_t pid, void (*visit)(void* arg, const struct sonde_mapping* mapping), void* arg);

#ifdef __cplusplus
}
#endif
#endif
