// SPDX-License-Identifier: GPL-3.0-or-later
// vminfo: what the kernel does about memory, by DTrace's names
//
// A probe of DTrace is here only if tracepoints mean the same. arg0 is what its counter rises by, in pages.
#include <linux/perf_event.h>

#include "providers/kernel_probes.h"
#include "providers/provider_entry.h"
#include "providers/vminfo/arch.h"

namespace sonde {
namespace {

constexpr KernelArgument kIncrement[] = {{0, "uint64_t"}};

constexpr char kOfUser[] = SONDE_FAULT_OF_USER, kOfKernel[] = SONDE_FAULT_OF_KERNEL;

/// mm_page_alloc: the page, its order, how it is asked for. Pages for programs may be moved (8), and anywhere (2).
/// Zeroed (0x100) by the allocator are those alone that fill up a program's memory.
#define SONDE_FOR_PROGRAM "arg0 != 0 && arg1 == 0 && (arg2 & 0x10a) == "

/// The allocation that belongs to a write to a protected page: behind its fault, before the next one, and before the
/// thread leaves the kernel.
#define SONDE_WRITES "self->__vminfo_writes"
constexpr char kWrites[] =
    "rawtp:::" SONDE_FAULT_OF_USER ",rawtp:::" SONDE_FAULT_OF_KERNEL " /" SONDE_FAULT_IS_PROTECTED_WRITE
    " != (" SONDE_WRITES " != 0)/ { " SONDE_WRITES " = " SONDE_FAULT_IS_PROTECTED_WRITE
    "; }\n"
    "rawtp:::sys_enter,rawtp:::sys_exit /" SONDE_WRITES " != 0/ { " SONDE_WRITES " = 0; }\n";

constexpr KernelProbeRow kProbes[] = {
    {.name = "as_fault",
     .tracepoint = kOfUser,
     .when = SONDE_FAULT_IS_ABSENT,
     .arguments = kIncrement,
     .increment = "1",
     .also = kOfKernel},
    {.name = "cow_fault",
     .tracepoint = "mm_page_alloc",
     .when = SONDE_FOR_PROGRAM "0xa && " SONDE_WRITES " != 0",
     .arguments = kIncrement,
     .increment = "1",
     .before = kWrites},
    {.name = "kernel_asflt",
     .tracepoint = kOfKernel,
     .when = SONDE_FAULT_AT_KERNEL,
     .arguments = kIncrement,
     .increment = "1"},
    {.name = "maj_fault",
     .tracepoint = nullptr,
     .arguments = kIncrement,
     .increment = "1",
     .counted = PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {.name = "prot_fault",
     .tracepoint = kOfUser,
     .when = SONDE_FAULT_IS_PROTECTION,
     .arguments = kIncrement,
     .increment = "1",
     .also = kOfKernel},
    {.name = "zfod",
     .tracepoint = "mm_page_alloc",
     .when = SONDE_FOR_PROGRAM "0x10a",
     .arguments = kIncrement,
     .increment = "1"},
};

#define SONDE_REFUSED(name, why) \
  { name, "vminfo:::" name " is not available: " why }
#define SONDE_RECLAIM(name)                                                            \
  SONDE_REFUSED(name,                                                                  \
                "the kernel tells what it takes back in batches of any kind of page: " \
                "rawtp:::mm_vmscan_lru_shrink_inactive")
#define SONDE_FROM_DISK(name)                                                                           \
  SONDE_REFUSED(name,                                                                                   \
                "the kernel does not tell for which page it reads; requests to disks: io:::start with " \
                "args[0]->b_flags & B_READ; pages that files get: rawtp:::mm_filemap_add_to_page_cache")
#define SONDE_TO_DISK(name)                                                                              \
  SONDE_REFUSED(name,                                                                                    \
                "the kernel does not tell for which page it writes; requests to disks: io:::start with " \
                "args[0]->b_flags & B_WRITE; pages that it writes to take them back: "                   \
                "rawtp:::mm_vmscan_write_folio")
#define SONDE_SWAP(name) SONDE_REFUSED(name, "Linux swaps pages, and never a process")

constexpr RefusedProbe kRefused[] = {
    SONDE_RECLAIM("anonfree"),
    SONDE_FROM_DISK("anonpgin"),
    SONDE_TO_DISK("anonpgout"),
    SONDE_RECLAIM("dfree"),
    SONDE_RECLAIM("execfree"),
    SONDE_FROM_DISK("execpgin"),
    SONDE_TO_DISK("execpgout"),
    SONDE_RECLAIM("fsfree"),
    SONDE_FROM_DISK("fspgin"),
    SONDE_TO_DISK("fspgout"),
    SONDE_REFUSED("hat_fault", "faults are vminfo:::as_fault and vminfo:::prot_fault"),
    SONDE_REFUSED("pgfrec", "Linux takes no page back from the list of free ones"),
    SONDE_FROM_DISK("pgin"),
    SONDE_TO_DISK("pgout"),
    SONDE_FROM_DISK("pgpgin"),
    SONDE_TO_DISK("pgpgout"),
    SONDE_REFUSED("pgrec", "Linux takes no page back from the list of free ones"),
    SONDE_REFUSED("pgrrun",
                  "trace rawtp:::mm_vmscan_kswapd_wake, or rawtp:::mm_vmscan_direct_reclaim_begin in who waits"),
    SONDE_SWAP("pgswapin"),
    SONDE_SWAP("pgswapout"),
    SONDE_REFUSED("rev", "no hand goes round all pages; lists are scanned: rawtp:::mm_vmscan_lru_isolate"),
    SONDE_REFUSED("scan", "the kernel tells what it scans in batches: rawtp:::mm_vmscan_lru_isolate"),
    SONDE_REFUSED("softlock", "the kernel has no tracepoint for pages that it pins"),
    SONDE_SWAP("swapin"),
    SONDE_SWAP("swapout"),
};

KernelProvider g_vminfo{"vminfo", kProbes, kRefused};

}  // namespace
}  // namespace sonde

extern "C" int sonde_vminfo_register(void) { return sonde::register_kernel_provider(sonde::g_vminfo); }
extern "C" void sonde_vminfo_unregister(void) { dtrace_unregister(sonde::g_vminfo.id); }
