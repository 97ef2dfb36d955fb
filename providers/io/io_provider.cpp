// SPDX-License-Identifier: GPL-3.0-or-later
// io: requests to disks
//
// start and done have the same request, arg0. What a request wrote is in args[0] (bufinfo_t), the disk in args[1]
// (devinfo_t), the file in args[2] (fileinfo_t) where its pages are a file's.
#include "providers/kernel_probes.h"
#include "providers/provider_entry.h"

namespace sonde {
namespace {

constexpr uint32_t kLinux61 = KERNEL_VERSION(6, 1, 0), kLinux616 = KERNEL_VERSION(6, 16, 0);
constexpr char kRequest[] = "struct request *";

constexpr KernelArgument kRequestArguments[] = {
    {0, kRequest, "bufinfo_t *"}, {0, kRequest, "devinfo_t *"}, {0, kRequest, "fileinfo_t *"}};
constexpr KernelArgument kDoneArguments[] = {
    {0, "struct __done *", "bufinfo_t *"}, {0, kRequest, "devinfo_t *"}, {0, kRequest, "fileinfo_t *"}};

constexpr KernelProbeRow kProbes[] = {
    {"start", "block_rq_issue", kLinux61, nullptr, nullptr, kRequestArguments},
    {"done", "block_rq_complete", kLinux61, nullptr, nullptr, kDoneArguments},
    {"wait-start", "sched_switch", kLinux61, "arg3 != 0 && curthread->in_iowait != 0"},
    {"wait-done", "sched_exit_tp", kLinux616, "arg0 != 0 && curthread->in_iowait != 0"},
};

KernelProvider g_io{"io", kProbes, {}};

}  // namespace
}  // namespace sonde

extern "C" int sonde_io_register(void) { return sonde::register_kernel_provider(sonde::g_io); }
extern "C" void sonde_io_unregister(void) { dtrace_unregister(sonde::g_io.id); }
