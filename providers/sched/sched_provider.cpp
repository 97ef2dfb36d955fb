// SPDX-License-Identifier: GPL-3.0-or-later
// sched: which thread has a CPU, and why it has it no longer
//
// off-cpu, sleep, preempt fire in the thread that leaves, on-cpu in the thread that comes. The kernel's own threads and
// the idle ones (tid 0) are threads as others.
#include "providers/kernel_probes.h"
#include "providers/provider_entry.h"

namespace sonde {
namespace {

constexpr uint32_t kLinux61 = KERNEL_VERSION(6, 1, 0), kLinux616 = KERNEL_VERSION(6, 16, 0);
constexpr char kTask[] = "struct task_struct *";

constexpr KernelArgument kNextThread[] = {{2, kTask, "lwpsinfo_t *"}, {2, kTask, "psinfo_t *"}};
constexpr KernelArgument kThread[] = {{0, kTask, "lwpsinfo_t *"}, {0, kTask, "psinfo_t *"}};

constexpr KernelArgument kChanged[] = {
    {0, kTask, "lwpsinfo_t *"}, {0, kTask, "psinfo_t *"}, {SONDE_ARGUMENT_DERIVED, "int"}};

/// The thread is the first argument of both, the nice value, or the address of what is asked, the second.
constexpr const char* kChanges[] = {"set_user_nice", "__sched_setscheduler"};
/// The priority that is asked for, as the kernel counts: a lower one is better, those of real time are below 100.
#define SONDE_ASKED "((struct sched_attr *)arg1)"
constexpr char kAsked[] =
    "(int64_t)arg1 >= -20 && (int64_t)arg1 <= 19 ? 120 + (int64_t)arg1 : "
    "(" SONDE_ASKED "->sched_priority != 0) * (99 - (int64_t)" SONDE_ASKED
    "->sched_priority) + "
    "(" SONDE_ASKED "->sched_priority == 0) * (120 + (int64_t)" SONDE_ASKED "->sched_nice)";
/// In the thread that comes, a new one included.
constexpr const char* kComes[] = {"finish_task_switch"};

// sched_switch: is it preempted in the kernel, the thread, the next one, the thread's state; 0: it could run on.
constexpr KernelProbeRow kProbes[] = {
    {"change-pri", nullptr, kLinux61, nullptr, kAsked, kChanged, kChanges},
    {"on-cpu", "sched_exit_tp", kLinux616, "arg0 != 0", nullptr, {}, kComes},
    {"off-cpu", "sched_switch", kLinux61, nullptr, nullptr, kNextThread},
    {"preempt", "sched_switch", kLinux61, "tid != 0 && (arg0 != 0 || arg3 == 0)"},
    {"remain-cpu", "sched_exit_tp", kLinux616, "arg0 == 0"},
    {"sleep", "sched_switch", kLinux61, "arg0 == 0 && arg3 != 0"},
    {"surrender", "sched_set_need_resched_tp", kLinux616, "arg1 != cpu", nullptr, kThread},
    {"wakeup", "sched_waking", kLinux61, nullptr, nullptr, kThread},
};

constexpr RefusedProbe kRefused[] = {
    {"cpucaps-sleep", "sched:::cpucaps-sleep is not available: Linux has no CPU caps of that kind"},
    {"cpucaps-wakeup", "sched:::cpucaps-wakeup is not available: Linux has no CPU caps of that kind"},
    {"dequeue",
     "sched:::dequeue is not available: the kernel has no tracepoint for it; a thread leaves the queue at "
     "sched:::sleep"},
    {"enqueue",
     "sched:::enqueue is not available: the kernel has no tracepoint for it; a thread joins the queue behind "
     "sched:::wakeup and at sched:::preempt"},
    {"schedctl-nopreempt", "sched:::schedctl-nopreempt is not available: Linux has no schedctl"},
    {"schedctl-preempt", "sched:::schedctl-preempt is not available: Linux has no schedctl"},
    {"schedctl-yield", "sched:::schedctl-yield is not available: trace syscall::sched_yield:entry"},
    {"tick",
     "sched:::tick is not available: the kernel has no tracepoint for it; profile-N looks at every CPU N times a "
     "second"},
};

KernelProvider g_sched{"sched", kProbes, kRefused};

}  // namespace
}  // namespace sonde

extern "C" int sonde_sched_register(void) { return sonde::register_kernel_provider(sonde::g_sched); }
extern "C" void sonde_sched_unregister(void) { dtrace_unregister(sonde::g_sched.id); }
