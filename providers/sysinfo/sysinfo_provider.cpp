// SPDX-License-Identifier: GPL-3.0-or-later
// sysinfo: what the kernel does for its threads, by DTrace's names
//
// A probe of DTrace is here only if a tracepoint means the same. arg0 is what its counter rises by.
//
// We refused taps on system calls for those that are one: a source has one probe for each call, and it is syscall's.
#include "providers/kernel_probes.h"
#include "providers/provider_entry.h"
#include "providers/sysinfo/arch.h"

namespace sonde {
namespace {

constexpr KernelArgument kIncrement[] = {{0, "uint64_t"}};

/// task_newtask: the new task, the flags of clone(). A thread of the kernel that makes one has not forked.
#define SONDE_FORKS "(arg1 & 0x10000) == 0 && (curthread->flags & 0x200000) == 0"

/// sched_yield() gives the CPU away of its own will, though sched_switch says that the thread could run on.
constexpr char kYields[] = "rawtp:::sys_enter /" SONDE_IS_YIELD
                           "/ { self->__sysinfo_yields = 1; }\n"
                           "rawtp:::sys_exit /self->__sysinfo_yields != 0/ { self->__sysinfo_yields = 0; }\n";

/// arg0 is `increment`, in D.
constexpr KernelProbeRow count(const char* name, const char* tracepoint, const char* when, const char* increment = "1",
                               const char* before = nullptr) {
  return {.name = name,
          .tracepoint = tracepoint,
          .when = when,
          .arguments = kIncrement,
          .increment = increment,
          .before = before};
}

constexpr KernelProbeRow kProbes[] = {
    count("idlethread", "sched_switch", "((struct task_struct *)arg2)->pid == 0"),
    count("inv_swtch", "sched_switch", "tid != 0 && (arg0 != 0 || arg3 == 0) && self->__sysinfo_yields == 0", "1",
          kYields),
    count("msg", "sys_enter", SONDE_IS_MESSAGE),
    count("nthreads", "task_newtask", nullptr),
    count("pswitch", "sched_switch", nullptr),
    count("readch", "sys_exit", "arg1 >= 0 && " SONDE_IS_READ(SONDE_NUMBER_AT_RETURN), "arg1"),
    count("sema", "sys_enter", SONDE_IS_SEMAPHORE),
    count("sysexec", "sys_enter", SONDE_IS_EXEC),
    count("sysfork", "task_newtask", SONDE_FORKS " && (arg1 & 0x4000) == 0"),
    count("sysread", "sys_enter", SONDE_IS_READ(SONDE_NUMBER_AT_ENTRY)),
    count("sysvfork", "task_newtask", SONDE_FORKS " && (arg1 & 0x4000) != 0"),
    count("syswrite", "sys_enter", SONDE_IS_WRITE(SONDE_NUMBER_AT_ENTRY)),
    count("writech", "sys_exit", "arg1 >= 0 && " SONDE_IS_WRITE(SONDE_NUMBER_AT_RETURN), "arg1"),
};

#define SONDE_REFUSED(name, why) \
  { name, "sysinfo:::" name " is not available: " why }
#define SONDE_TICKS(name) \
  SONDE_REFUSED(          \
      name,               \
      "the kernel has no tracepoint for it; profile-97 samples every CPU: arg0 in the kernel, arg1 in a program")
#define SONDE_BUFFERS(name, direction)                                                                       \
  SONDE_REFUSED(name,                                                                                        \
                "Linux has no cache of buffers between files and disks; requests to disks: io:::start with " \
                "args[0]->b_flags & " direction)
#define SONDE_OF_UFS(name) SONDE_REFUSED(name, "Linux has no UFS of that kind; files: syscall::openat:entry")

constexpr RefusedProbe kRefused[] = {
    SONDE_BUFFERS("bawrite", "B_WRITE"),
    SONDE_BUFFERS("bread", "B_READ"),
    SONDE_BUFFERS("bwrite", "B_WRITE"),
    SONDE_TICKS("cpu_ticks_idle"),
    SONDE_TICKS("cpu_ticks_kernel"),
    SONDE_TICKS("cpu_ticks_user"),
    SONDE_TICKS("cpu_ticks_wait"),
    SONDE_REFUSED("intrblk",
                  "threads of interrupts have no tracepoint of their own; sched:::sleep has them by execname"),
    SONDE_BUFFERS("lread", "B_READ"),
    SONDE_BUFFERS("lwrite", "B_WRITE"),
    SONDE_REFUSED("modload", "trace rawtp:::module_load, which kernels with modules have"),
    SONDE_REFUSED("modunload", "trace rawtp:::module_free, which kernels with modules have"),
    SONDE_REFUSED("mutex_adenters", "the kernel tells each turn of a wait for a lock: lockstat:::contention-begin"),
    SONDE_REFUSED("namei",
                  "the kernel has no tracepoint for it; names that programs ask for: syscall::openat:entry, "
                  "syscall::newfstatat:entry; its function: fbt::path_lookupat:entry"),
    SONDE_BUFFERS("phread", "B_READ"),
    SONDE_BUFFERS("phwrite", "B_WRITE"),
    SONDE_REFUSED("procovf",
                  "a failed call says EAGAIN for several limits: syscall::clone:return, "
                  "syscall::clone3:return and syscall::vfork:return with errno == EAGAIN"),
    SONDE_REFUSED("rw_rdfails", "the kernel tells when the wait for a lock begins: lockstat:::contention-begin"),
    SONDE_REFUSED("rw_wrfails", "the kernel tells when the wait for a lock begins: lockstat:::contention-begin"),
    SONDE_REFUSED("trap",
                  "the kernel has no tracepoint for all traps; page faults: vminfo:::as_fault, "
                  "vminfo:::prot_fault; others end in a signal: signal:::send"),
    SONDE_OF_UFS("ufsdirblk"),
    SONDE_OF_UFS("ufsiget"),
    SONDE_OF_UFS("ufsinopage"),
    SONDE_OF_UFS("ufsipage"),
    SONDE_TICKS("wait_ticks_io"),
    SONDE_REFUSED("xcalls", "the kernel's tracepoint has other errands, too: rawtp:::csd_queue_cpu"),
};

KernelProvider g_sysinfo{"sysinfo", kProbes, kRefused};

}  // namespace
}  // namespace sonde

extern "C" int sonde_sysinfo_register(void) { return sonde::register_kernel_provider(sonde::g_sysinfo); }
extern "C" void sonde_sysinfo_unregister(void) { dtrace_unregister(sonde::g_sysinfo.id); }
