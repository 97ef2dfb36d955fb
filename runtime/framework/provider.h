/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The provider interface: DTrace's, as a C ABI in user space
 *
 *   sonde loads NAME.so --> sonde_plugin --> start() --> dtrace_register() --> dtps_provide --> dtrace_probe_create()
 *                                                                              dtps_enable --> taps, or its own thread
 *                                                                              dtps_disable
 *                           sonde_plugin --> stop()  --> dtrace_unregister() --> dtps_destroy
 *
 * A provider registers with dtrace_register() and creates probes; the framework calls its ops. A provider whose events
 * come from traced threads arms taps in dtps_enable with sonde_tap_arm(); one that fires by itself calls
 * dtrace_probe().
 *
 * Contexts. "Outside" means outside of any op: in start() and stop(), in hooks, in threads of the provider. The
 * framework knows, for each thread, which op it is running, and refuses a call that is not allowed there: it prints a
 * message on standard error, and the call fails with EPERM, 0 or NULL, or does nothing. Calls may come from any thread.
 * A mutex serialises all of them except dtrace_probe(). It is held while an op runs, so an op must not wait for a
 * thread that makes a call.
 *
 * Errors are positive errnos, as in DTrace. docs/provider-interface.md has the tables. docs/add-a-provider.md shows how
 * to write a provider, and what a plug-in may rely on when Sonde changes.
 */
#ifndef SONDE_PROVIDER_H
#define SONDE_PROVIDER_H

#include <stdint.h>

#include "kmod/shared/event.h"
#include "kmod/shared/leave.h"
#include "kmod/shared/location.h"

/* Rises with every addition or change here. A Sonde runs plug-ins of its own number, and of those from
 * SONDE_PROVIDER_ABI_LEAST on. */
#define SONDE_PROVIDER_ABI 3u
#define SONDE_PROVIDER_ABI_LEAST 2u

#define SONDE_EXPORTED __attribute__((visibility("default")))

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
  int32_t dtargd_ndx;                    /* in: which args[n]; out: DTRACE_ARGNONE when there is none.
                                            Any other value changes nothing */
  int32_t dtargd_mapping;                /* index of the raw argument (argN) that args[n] is made from; or
                                            SONDE_ARGUMENT_LOCATED, or SONDE_ARGUMENT_DERIVED; below 0: args[n] is
                                            refused */
  char dtargd_native[DTRACE_ARGTYPELEN]; /* its C type */
  char dtargd_xlate[DTRACE_ARGTYPELEN];  /* the D type it is translated to, or empty */
  char dtargd_name[DTRACE_NAMELEN];      /* name of the parameter where known */
} dtrace_argdesc_t;

/* args[n] is what the tap's locations say of argument n. */
#define SONDE_ARGUMENT_LOCATED 256
/* args[n] is what the probe's provider has derived from its arguments: sonde_probe_of_kernel(). */
#define SONDE_ARGUMENT_DERIVED 257

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

/*
 * DTrace's ops, in DTrace's layout, which does not change. `arg` is what dtrace_register() was given, `parg` what
 * dtrace_probe_create() was given. An op that is missing is NULL; dtps_enable, dtps_disable, dtps_destroy, and one of
 * dtps_provide and dtps_provide_module are required.
 */
typedef struct dtrace_pops {
  /* Probes are wanted. spec NULL: create all probes that the provider always has; called before the first match after
   * registration or condensation. Otherwise: create those that `spec` asks for, a description that matched nothing
   * (after sonde_provide_always(): every description that names the provider).
   * May: dtrace_probe_create, _lookup, _arg, dtrace_probe, sonde_provide_error, _provide_match, _probe_refuse, _follow,
   * _print_message, _targets, _mappings, _function_places; sonde_tap_arm for one of its probes that has taps and of
   * which it has found another place; it may allocate and block, but the user waits. */
  void (*dtps_provide)(void* arg, const dtrace_probedesc_t* spec);
  /* A target has mapped the ELF object `module`: its path, as the target has it. sonde_mappings() says how to open it
   * here. May: as dtps_provide. Its new probes join waiting enablings at once. */
  void (*dtps_provide_module)(void* arg, const char* module);
  /* The probe got its first enabling; not called again for further ones. Also called, and then dtps_disable, to find
   * out what the probe would arm. May: sonde_tap_arm, sonde_tap_disarm, sonde_print_message; start a thread or a
   * timer. */
  void (*dtps_enable)(void* arg, dtrace_id_t id, void* parg);
  /* The probe lost its last enabling. After it returns, the provider must not call dtrace_probe() for it. May:
   * sonde_tap_disarm; join a thread that makes no call but dtrace_probe(). */
  void (*dtps_disable)(void* arg, dtrace_id_t id, void* parg);
  /* For an enabled probe: tracing pauses, and continues. Provide both or neither. May: store to memory, nothing that
   * blocks. */
  void (*dtps_suspend)(void* arg, dtrace_id_t id, void* parg);
  void (*dtps_resume)(void* arg, dtrace_id_t id, void* parg);
  /* While a script is compiled, for each index from 0 to 9: fill in `desc`. The native type is a C type that D knows (a
   * D text may define it), or "string" for an argument that is a text: EXEC's PATH, and those of sonde_probe_fire().
   * May: dtrace_probe_lookup, dtrace_probe_arg, dtrace_probe. */
  void (*dtps_getargdesc)(void* arg, dtrace_id_t id, void* parg, dtrace_argdesc_t* desc);
  /* While the probe fires by dtrace_probe(), for arg5 to arg9 if a script reads them. `aframes` is what
   * dtrace_probe_create() was given. May: dtrace_getarg; no lock, no allocation. */
  uint64_t (*dtps_getargval)(void* arg, dtrace_id_t id, void* parg, int argno, int aframes);
  /* While the probe fires by dtrace_probe(): return 1 if it fired in user mode. Such a probe has no stack: in user mode
   * ustack() is refused, because it would be sonde's own; otherwise it is empty. May: no call, no lock. */
  int (*dtps_usermode)(void* arg, dtrace_id_t id, void* parg);
  /* The probe is destroyed; it is not enabled. May: no call; free what `parg` owns. */
  void (*dtps_destroy)(void* arg, dtrace_id_t id, void* parg);
} dtrace_pops_t;

/* Who may use a provider's probes: DTrace's bits. They protect nothing here, because whoever runs sonde has loaded the
 * provider into a process of his own; taps are refused where the user may not trace. Only one combination has an
 * effect: with USER and KERNEL together dtps_usermode is required. */
#define DTRACE_PRIV_NONE 0u
#define DTRACE_PRIV_KERNEL 1u
#define DTRACE_PRIV_USER 2u
#define DTRACE_PRIV_PROC 4u
#define DTRACE_PRIV_OWNER 8u
#define DTRACE_PRIV_ZONEOWNER 16u
#define DTRACE_PRIV_ALL 31u

/* ---- the plug-in ------------------------------------------------------------------------------------------------ */

/* D source: types, translators and inlines that scripts may use. It is compiled when a script first uses a name that it
 * defines. Neither member is NULL. */
struct sonde_text {
  const char* file; /* for messages: "heart.d" */
  const char* text;
};

/*
 * What a plug-in exports under the name sonde_plugin. The sizes are those it was compiled with. Sonde first loads it in
 * a child process: there it is started, all its probes are provided and described, and it is stopped. A plug-in that
 * fails any of this is left out.
 */
struct sonde_plugin {
  uint32_t size; /* of this struct */
  uint32_t abi;  /* SONDE_PROVIDER_ABI */
  uint32_t pops_size, pattr_size, probedesc_size, argdesc_size;
  /* Outside. Registers the providers. Returns 0, or an errno: then the plug-in is left out, and what it has registered is
   * taken back. */
  int (*start)(void);
  /* Outside, when nothing of it is enabled any more: ends its threads, unregisters its providers. */
  void (*stop)(void);
  const struct sonde_text* texts; /* ends with an entry whose file is NULL; or NULL */
};

extern SONDE_EXPORTED const struct sonde_plugin sonde_plugin;

/* SONDE_PLUGIN(start, stop, texts): once in each plug-in. CMake's sonde_add_provider(... TEXTS a.d) defines sonde_texts
 * from files. */
#define SONDE_PLUGIN(start, stop, texts)                                 \
  const struct sonde_plugin sonde_plugin = {sizeof(struct sonde_plugin), \
                                            SONDE_PROVIDER_ABI,          \
                                            sizeof(dtrace_pops_t),       \
                                            sizeof(dtrace_pattr_t),      \
                                            sizeof(dtrace_probedesc_t),  \
                                            sizeof(dtrace_argdesc_t),    \
                                            start,                       \
                                            stop,                        \
                                            texts}
extern const struct sonde_text sonde_texts[];

/* ---- providers and probes --------------------------------------------------------------------------------------- */

/* Context: outside. Registers nothing unless it returns 0. `cr` is ignored. A provider's name begins with a letter or
 * '_'; letters, digits, '_', '-' and '.' may follow.
 * EINVAL: the name is none, or longer than 63 bytes; attributes, ops or a required op are missing; an attribute is not
 * one of its enum; `priv` has bits without a name; or it has both DTRACE_PRIV_USER and _KERNEL, and there is no
 * dtps_usermode. EEXIST: a provider of that name exists, and is not defunct. EPERM: not outside, or nobody is tracing.
 */
int dtrace_register(const char* name, const dtrace_pattr_t* pap, uint32_t priv, void* cr, const dtrace_pops_t* pops,
                    void* arg, dtrace_provider_id_t* idp);
/* Context: outside. Destroys its probes. EBUSY: one of them is enabled. EINVAL: no such provider. EPERM: not outside.
 * On an error nothing has changed. */
int dtrace_unregister(dtrace_provider_id_t id);
/* Context: outside. Makes the provider defunct: its probes do not fire any more, and match nothing. It must still be
 * unregistered. */
void dtrace_invalidate(dtrace_provider_id_t id);
/* Context: outside. Destroys its probes that are not enabled; dtps_provide(NULL) is called again. EINVAL: no such
 * provider. EPERM: not outside. */
int dtrace_condense(dtrace_provider_id_t id);
/* Context: anywhere. Whether anybody is tracing. */
int dtrace_attached(void);
/* Context: outside, dtps_provide, dtps_provide_module. Returns the probe's id. If the probe exists already, that one's
 * id: `parg` then remains the caller's (dtrace_probe_arg() returns the one in use). `aframes` is passed to
 * dtps_getargval, and has no other effect, because a probe that fires by dtrace_probe() has no stack.
 * `name` is made of letters, digits, '_', '-' and '.', at most 63. `mod` and `func` are both NULL, which stands for "",
 * or both texts without control characters; `mod` has at most 255 bytes. A description can name a ':' or a blank in
 * them only by '?', '*' or a backslash before it, and a '/' only in a `mod` that begins with it.
 * 0: no probe was made, because a name is none (which is reported on standard error), the provider is gone or defunct,
 * or the context is another. */
dtrace_id_t dtrace_probe_create(dtrace_provider_id_t id, const char* mod, const char* func, const char* name,
                                int aframes, void* parg);
/* Context: outside, dtps_provide, dtps_provide_module, dtps_getargdesc. NULL matches any. 0: there is no such probe, or
 * the context is another. */
dtrace_id_t dtrace_probe_lookup(dtrace_provider_id_t id, const char* mod, const char* func, const char* name);
/* Context: as dtrace_probe_lookup(). NULL: not a probe of that provider, or the context is another. */
void* dtrace_probe_arg(dtrace_provider_id_t id, dtrace_id_t probe);
/* Context: outside, dtps_provide, dtps_provide_module, dtps_getargdesc; any thread. Fires the probe, here and now.
 * Takes no lock, allocates nothing, never blocks. Does nothing if the probe is not enabled, or has taps. Scripts cannot
 * read memory through its arguments. */
void dtrace_probe(dtrace_id_t probe, uintptr_t arg0, uintptr_t arg1, uintptr_t arg2, uintptr_t arg3, uintptr_t arg4);
/* Context: as dtrace_probe(), which it extends. Fires the probe with `count` arguments, at most ten; the others are 0,
 * or dtps_getargval's. Bit n of `texts` says that args[n] is the address of a text (const char *; NULL: ""): as much of
 * it as -x strsize allows is copied into the record before the call returns, and texts that were cut are counted and
 * reported. dtps_getargdesc gives such an argument the native type "string", and its number as the mapping; scripts
 * then read it as args[n]. The raw argument (argN) of a text is 0. */
void sonde_probe_fire(dtrace_id_t probe, const uintptr_t* args, unsigned count, uint32_t texts);
/* Context: dtps_getargval. What the framework does without that op: returns a raw argument of dtrace_probe(), or 0. */
uint64_t dtrace_getarg(int argno, int aframes);

/* Context: dtps_provide, dtps_provide_module. Gives the reason why a description that names this provider has no
 * probes: a D error tag such as "D_PROC_FUNC", and a text. The compiler reports it if nothing matches; the first one
 * counts. */
void sonde_provide_error(const char* tag, const char* message);
/* Context: dtps_provide, dtps_provide_module. The probe is listed but cannot be armed, because of `why`; NULL: it can.
 * A description that matches only this probe is an error. One that matches others too leaves it out, which is reported
 * once unless `quietly`. */
void sonde_probe_refuse(dtrace_id_t probe, const char* why, int quietly);
/* Context: as dtrace_probe_create(). The probe fires in the kernel: scripts read kernel memory through its arguments, and
 * their native types are the kernel's. `when`: the probe fires only where this D expression is true; NULL: always.
 * `derived`: a D expression whose value args[n] of the mapping SONDE_ARGUMENT_DERIVED has, and translators read as
 * __derived; NULL: 0. Both may use arguments, the variables of a clause, types of the kernel and names of the provider's
 * texts, and must be computable where the probe fires. The texts are copied. */
void sonde_probe_of_kernel(dtrace_id_t probe, const char* when, const char* derived);
/* Context: as dtrace_probe_create(). The probe's taps bring its arguments along, by their locations: argN is the first 8
 * bytes of argument N, and args[n] is that as its native type, translated if the provider asks for it. */
void sonde_probe_has_arguments(dtrace_id_t probe);
/* Context: as dtrace_probe_create(). Describes the probe in D, over its tap's arguments and self-> variables. `before`:
 * clauses, NULL: none; they run as soon as a script has the probe, and remember in self-> variables what an earlier event
 * knows. A description in them that matches nothing is no error. `when`: the probe fires only where this expression is true;
 * NULL: always. `arguments`: expressions, of which argN is the N-th, at most SONDE_PROBE_ARGUMENTS; the others are 0. All must be
 * computable where the probe fires. The texts are copied, and take the place of those of sonde_probe_of_kernel(): a probe
 * that fires in the kernel needs that call before this one. */
#define SONDE_PROBE_ARGUMENTS 6u
void sonde_probe_in_d(dtrace_id_t probe, const char* before, const char* when, const char* const* arguments,
                      unsigned count);
/* Context: outside. The provider makes its probes on demand: dtps_provide is called with every description that names
 * it (its provider field is not empty and not only stars), whether or not probes match already. */
void sonde_provide_always(dtrace_provider_id_t id);
/* Context: outside. `hook` is called, also outside, with descriptions before they are matched: with those whose provider
 * field has a * or ends with a number, and with others that match nothing. It may register providers, which are then
 * asked for their probes; it may make the calls of dtps_provide, too: sonde_tap_arm for enabled probes of theirs. Called as long as
 * provider `owner` is registered. EINVAL: no such provider, or no hook. EPERM: not outside. */
int sonde_on_description(dtrace_provider_id_t owner, void (*hook)(void* arg, const dtrace_probedesc_t* spec),
                         void* arg);
/* Context: dtps_provide, dtps_provide_module. The current description names this probe, though their names differ:
 * pid1:libc:malloc:entry names pid1:libc.so.6:malloc:entry, pid1::app::fib:entry names pid1:a.out:app::fib(int):entry.
 * */
void sonde_provide_match(dtrace_id_t probe);
/* Context: anywhere. Whether `text` matches a field of a description, which may be empty or a glob. */
int sonde_glob_match(const char* pattern, const char* text);
/* Context: dtps_getargdesc. Says in words where the argument stands ("%esi"), or why it is refused: messages and -lv show
 * the text. `size`: how many bytes its locations have; 0: it is refused. A type of that name with another size is not the
 * argument's, and is refused, too. */
void sonde_argument_place(const char* text, uint64_t size);
/* Context: dtps_provide, dtps_provide_module, dtps_enable. Prints a message for the user on standard error, once
 * tracing has begun; the same text only once. */
void sonde_print_message(const char* text);

/* ---- taps ------------------------------------------------------------------------------------------------------- */

/* Set unused members to zero; `size` comes first. The kinds are SONDE_TAP_ and a name of the table in
 * docs/provider-interface.md: SONDE_TAP_SYSCALL_ENTRY, SONDE_TAP_USER_ENTRY, ... (kmod/shared/event.h makes the enum, and
 * says which members SONDE_TAP_COUNTER has). */
struct sonde_tap_request {
  uint32_t size; /* sizeof(struct sonde_tap_request), as the caller has it */
  enum sonde_tap_kind kind;
  uint32_t number;          /* of a system call, or SONDE_UNNAMED_CALLS; in SONDE_PATH_CODE: bytes that `sum` covers */
  uint32_t pid;             /* 0: all targets */
  const char* path;         /* user taps: the file; KERNEL_*: the module, NULL: the kernel itself; else NULL */
  uint64_t offset;          /* in the file, of the instruction; of PROFILE and TICK: the period, ns */
  uint64_t function;        /* in the file, of the function's first instruction */
  struct sonde_leave leave; /* how the instruction leaves the function: from sonde_function_places() */
  uint32_t sum;             /* in SONDE_PATH_CODE: CRC-32 of the text; else 0 */
  uint32_t flags;           /* SONDE_TAP_FORKS, with a pid: also in the processes that it forks, until they execute
                               another program; unless the user has said -x followforks=no. SONDE_TAP_NOP, of
                               USER_OFFSET: only where the instruction is a nop, else the file has changed */
  uint32_t machine;         /* ELF's number of the machine that `leave` and `locations` speak of; 0: the source's own */
  const char* symbol;       /* KERNEL_*: the function, as in /proc/kallsyms; TRACEPOINT: its name; else NULL */
  /* User taps: where the probe's arguments stand when the tap fires, at most SONDE_LOCATIONS_MAX; and, at most
   * SONDE_COUNTERS_MAX, 16-bit counters of tracers, by their offsets in the file: the source raises them in each
   * process where the tap is armed, and takes that back. */
  const struct sonde_location* locations;
  const uint64_t* counters;
  uint32_t location_count, counter_count;
};

/* Context: dtps_enable, for the probe being enabled; dtps_provide and dtps_provide_module, for a probe of this provider
 * that is enabled and has taps: one more place of it. The tap is armed when the enabling as a whole has succeeded. If
 * the source cannot arm it, the enabling fails and the user gets a message. dtrace_probe() does nothing for a probe
 * that has taps.
 * EINVAL: `size` is not a size of this struct, the kind does not exist, a user tap has no path or one in the kernel no
 * symbol, a location is not valid (location.h) or not for this kind, counters are too many or not for this kind, or the
 * probe is not one of those: no tap. ENOTSUP: it is for another machine than this one's source. EPERM: another context. */
int sonde_tap_arm(dtrace_id_t probe, const struct sonde_tap_request* request);
/* Context: dtps_enable, dtps_disable. Disarms all taps of the probe. */
void sonde_tap_disarm(dtrace_id_t probe);

/* Context of these: anywhere. Whether the current source can arm taps of this kind; while there is no source, whether
 * any source can. */
int sonde_tap_possible(enum sonde_tap_kind kind);
/* The same for user taps in memory that no file backs: the vdso, whose path is "[vdso]", and SONDE_PATH_CODE. */
int sonde_tap_memory_possible(void);
/* The same for system calls that only 32-bit code has. */
int sonde_compat_calls_possible(void);
/* The same for system calls whose number has no name: taps with the number SONDE_UNNAMED_CALLS. Their `offset` is the
 * number that programs give, in either kind of code; 0: every such number that no other tap gives. */
int sonde_unnamed_calls_possible(void);
/* How many counters of a user tap the source can raise: more of them are refused when it is armed. */
unsigned sonde_counters_possible(void);
/* For messages: the names of the sources that have taps of this kind (`in_memory`: in such memory too), such as "kmod".
 * Valid for ever. */
const char* sonde_sources_with(enum sonde_tap_kind kind, int in_memory);
/* Whether there is a source. Without one no tap can be armed; probes that fire by dtrace_probe() still do. */
int sonde_has_source(void);
/* Whether probes are only listed (-l): nothing will be armed. */
int sonde_is_listing(void);

/* ---- targets: the processes that are traced by -c and -p --------------------------------------------------------- */

/* An executable mapping of a file. */
struct sonde_mapping {
  uint64_t start, end, offset;
  char path[4096]; /* as the process has it, or had it when the file was not deleted yet */
  char file[4096]; /* a path that opens it here: through /proc where `path` does not lead to it, or a copy of it. For
                    * taps and sonde_function_places(), as it is. Empty: its file system's server does not answer */
  /* The file, as /proc/PID/maps has it: a path leads to another one after an upgrade. On btrfs and overlayfs stat()
   * has other numbers. */
  uint32_t major, minor;
  uint64_t inode;
  uint32_t program; /* 1: it is the program of its process, not a library */
  uint32_t reserved;
};
/* A place to tap in a function. */
struct sonde_place {
  uint64_t offset;          /* in the file, of the instruction */
  uint64_t function;        /* in the file, of the function's first instruction */
  struct sonde_leave leave; /* how the instruction leaves the function */
};

/* Context: outside, dtps_provide, dtps_provide_module. Calls `visit` with each target's pid. On kmod there may be none:
 * then everything is traced. */
void sonde_targets(void (*visit)(void* arg, uint32_t pid), void* arg);
/* Context: outside. `hook` is called, also outside, for each target that exists and each that comes, as long as the
 * provider `owner` is registered. It may register providers. EINVAL: no such provider, or no hook. EPERM: not outside.
 */
int sonde_on_target(dtrace_provider_id_t owner, void (*hook)(void* arg, uint32_t pid), void* arg);
/* The same when a target has ended, or is let go: what was registered for it can be invalidated, and unregistered once
 * none of its probes is enabled. */
int sonde_on_target_end(dtrace_provider_id_t owner, void (*hook)(void* arg, uint32_t pid), void* arg);
/* Context: dtps_provide, dtps_provide_module. Files that the target `pid` maps later may have probes that are wanted.
 * From now on, a thread of it, or of a process that it forks, that maps a file waits until dtps_provide_module, and dtps_provide for each enabled
 * description, have been called. */
void sonde_follow(uint32_t pid);
/* Context: as sonde_follow(). The same for all processes that are traced, now and later: a thread waits if it maps a
 * file whose path matches the wildcard, and that no thread has waited for yet. */
void sonde_follow_files(const char* wildcard);
/* Context: outside, dtps_provide, dtps_provide_module. Calls `visit` for each executable file mapping of `pid`, then
 * for those of the processes that it has forked, that run its program and have mapped files since.
 * `pid` 0: for each file that the traced processes have mapped, as far as sonde knows: those of the targets, and those
 * that others were followed for; where every process is traced, the files of all of them, each once.
 * ESRCH, ENOENT: no such process. EACCES, EPERM: no permission, or the context is another. */
int sonde_mappings(uint32_t pid, void (*visit)(void* arg, const struct sonde_mapping* mapping), void* arg);
/* Context: outside, dtps_provide, dtps_provide_module. Calls `visit` for every place that taps of `kind`, USER_ENTRY or
 * USER_RETURN, need in order to fire each time the function of the ELF file `path` begins, or returns: arm all of them.
 * `path` must open the file here: for one that a target has mapped, that is `file` of its mapping, and not `path`.
 * Any name of the function will do. ENOENT: no such file, or no such function in it. ENOTSUP: the function has no such
 * places: its returns cannot be distinguished from its other jumps, or it never returns. EINVAL: another kind. ENOEXEC:
 * not an ELF object of this machine. EPERM: the context is another. */
int sonde_function_places(const char* path, const char* function, enum sonde_tap_kind kind,
                          void (*visit)(void* arg, const struct sonde_place* place), void* arg);

#ifdef __cplusplus
}
#endif
#endif
