/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Uprobes as they differ between kernel versions: a part of compat.h.
 */
#ifndef SONDE_COMPAT_UPROBE_H
#define SONDE_COMPAT_UPROBE_H

#include <linux/err.h>
#include <linux/uprobes.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define SONDE_UPROBE_DATA , __u64 *data
#else
#define SONDE_UPROBE_DATA
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define SONDE_UPROBE_CONTEXT
#else
#define SONDE_UPROBE_CONTEXT enum uprobe_filter_ctx context,
#endif

/* The handle that 6.12 and later want back; others return NULL. */
static inline struct uprobe *sonde_uprobe_register(struct inode *inode,
						   loff_t offset,
						   struct uprobe_consumer *uc)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	return uprobe_register(inode, offset, 0, uc);
#else
	int err = uprobe_register(inode, offset, uc);

	return err ? ERR_PTR(err) : NULL;
#endif
}

/* No handler runs any more afterwards. */
static inline void sonde_uprobe_unregister(struct uprobe *uprobe,
					   struct inode *inode, loff_t offset,
					   struct uprobe_consumer *uc)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	uprobe_unregister_nosync(uprobe, uc);
	uprobe_unregister_sync();
#else
	uprobe_unregister(inode, offset, uc);
#endif
}

#endif
