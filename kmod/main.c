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

static void hooks_stop(void)
{
	sonde_hooks_found();
	sonde_hooks_stop();
	while (sonde_hooks_busy())
		schedule_timeout_uninterruptible(1);
	synchronize_rcu_tasks();
	synchronize_rcu();
}

static void engines_stop(void)
{
	sonde_utrace_stop();
	sonde_device_wait();
}

/* In the order of loading. */
static const struct {
	int (*start)(void); /* or NULL */
	void (*stop)(void);
} parts[] = {
	{ sonde_utrace_init, sonde_utrace_exit },
	{ sonde_hooks_init, hooks_stop },
	{ sonde_syscall_init, sonde_syscall_stop },
	{ sonde_life_init, sonde_life_stop },
	{ sonde_signal_init, sonde_signal_stop },
	{ NULL, engines_stop },
	{ sonde_status_init, sonde_status_exit },
	{ sonde_device_init, sonde_device_exit },
};

static void stop_parts(int n)
{
	while (n--)
		parts[n].stop();
}

static int __init sonde_init(void)
{
	int err, n;

	for (n = 0; n < ARRAY_SIZE(parts); n++) {
		err = parts[n].start ? parts[n].start() : 0;
		if (err) {
			stop_parts(n);
			return err;
		}
	}
	sonde_hooks_found();
	return 0;
}

static void __exit sonde_exit(void)
{
	stop_parts(ARRAY_SIZE(parts));
	sonde_memory_end();
}

module_init(sonde_init);
module_exit(sonde_exit);

MODULE_DESCRIPTION("utrace core and event source of Sonde");
MODULE_LICENSE("GPL");
