// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and unloading.
 *
 * Unloading removes, in this order: the device, so that no new requests come;
 * the finders; all engines (all stops end, queued works have run or are
 * cancelled); the tracepoint probes; the hooks. Then it waits until no thread
 * is in the C part of a hook, no state is left, and no thread runs the few
 * instructions between the end of a C part and the jump out of the trampoline.
 * Nothing sleeps there, so RCU-tasks covers them.
 */
#ifdef CONFIG_PREEMPT_RT
#error "not for PREEMPT_RT: firings take locks that sleep there"
#endif
#if defined(CONFIG_CFI_CLANG) || defined(CONFIG_CFI) /* since 6.18 */
#error "not for kernels with kCFI: the hooks have no type hashes"
#endif

#include <linux/module.h>
#include <linux/rcupdate.h>

#include "kmod/core/internal.h"
#include "kmod/core/memory.h"
#include "kmod/device/device.h"
#include "kmod/device/status.h"

static void stop_hooks(void)
{
	sonde_hooks_stop();
	while (sonde_hooks_busy())
		schedule_timeout_uninterruptible(1);
	synchronize_rcu_tasks();
	synchronize_rcu();
}

static int __init sonde_init(void)
{
	int err;

	err = sonde_utrace_init();
	if (err)
		return err;
	err = sonde_hooks_init();
	if (err)
		goto out_utrace;
	err = sonde_syscall_init();
	if (err)
		goto out_hooks;
	err = sonde_life_init();
	if (err)
		goto out_syscall;
	err = sonde_signal_init();
	if (err)
		goto out_life;
	err = sonde_status_init();
	if (err)
		goto out_signal;
	err = sonde_device_init();
	if (err)
		goto out_status;
	sonde_hooks_found();
	return 0;

out_status:
	sonde_status_exit();
out_signal:
	sonde_utrace_stop();
	sonde_signal_stop();
out_life:
	sonde_life_stop();
out_syscall:
	sonde_syscall_stop();
out_hooks:
	sonde_hooks_found();
	stop_hooks();
out_utrace:
	sonde_utrace_exit();
	return err;
}

static void __exit sonde_exit(void)
{
	sonde_device_exit();
	sonde_status_exit();
	sonde_utrace_stop();
	sonde_device_wait();
	sonde_signal_stop();
	sonde_life_stop();
	sonde_syscall_stop();
	stop_hooks();
	sonde_utrace_exit();
	sonde_memory_end();
}

module_init(sonde_init);
module_exit(sonde_exit);

MODULE_DESCRIPTION("utrace core and event source of Sonde");
MODULE_LICENSE("GPL");
