// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/sonde: the users of the module, and its allocations; for root
 *
 *   memory KIND: OBJECTS objects, BYTES bytes
 *   calls: hooked for every task, for targets, or not hooked
 *   session: ...
 *   waiting: ...      a traced thread that keeps the module from being unloaded
 */
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

#include "kmod/core/memory.h"
#include "kmod/device/device.h"
#include "kmod/device/session.h"
#include "kmod/device/status.h"
#include "kmod/device/syscalls.h"
#include "kmod/device/task_work.h"

static int status_show(struct seq_file *to, void *unused)
{
	sonde_memory_show(to);
	sonde_syscalls_show(to);
	sonde_sessions_show(to);
	sonde_pauses_show(to);
	return 0;
}

/**
 * sonde_status_init() - create /proc/sonde
 *
 * Context: Process context, module load. May sleep.
 * Return: 0 or -ENOMEM.
 */
int sonde_status_init(void)
{
	return proc_create_single("sonde", 0400, NULL, status_show) ? 0 :
								      -ENOMEM;
}

/**
 * sonde_status_exit() - remove /proc/sonde
 *
 * Context: Process context, module unload. May sleep.
 */
void sonde_status_exit(void)
{
	remove_proc_entry("sonde", NULL);
}
