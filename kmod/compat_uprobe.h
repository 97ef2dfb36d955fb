/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Uprobes: what differs between kernel versions.
 */
#ifndef SONDE_COMPAT_UPROBE_H
#define SONDE_COMPAT_UPROBE_H

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/sched.h>
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

/* Opens the file at a path, with the checks of open(). */
static inline struct file *sonde_open_path(const struct path *path, int flags)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
	return file_open_root(path, "", flags, 0);
#else
	return file_open_root(path->dentry, path->mnt, "", flags, 0);
#endif
}

/* Returns the handle that unregistering needs since 6.12; NULL before. */
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

/* Handlers may still run until sonde_uprobe_wait() returns. */
static inline void sonde_uprobe_unregister(struct uprobe *uprobe,
					   struct inode *inode, loff_t offset,
					   struct uprobe_consumer *uc)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	uprobe_unregister_nosync(uprobe, uc);
#else
	uprobe_unregister(inode, offset, uc);
#endif
}

static inline bool sonde_uprobe_wants_nobody(struct uprobe_consumer *uc,
					     SONDE_UPROBE_CONTEXT
					     struct mm_struct *mm)
{
	return false;
}

static inline int sonde_uprobe_ignore(struct uprobe_consumer *uc,
				      struct pt_regs *regs SONDE_UPROBE_DATA)
{
	return 0;
}

/*
 * Waits for the handlers of a uprobe that stays registered; since 6.12
 * sonde_uprobe_wait() does it. Before, only the unregistering of a consumer
 * waits for them, so one is registered and unregistered.
 */
static inline void sonde_uprobe_settle(struct inode *inode, loff_t offset)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
	struct uprobe_consumer nobody = {
		.filter = sonde_uprobe_wants_nobody,
		.handler = sonde_uprobe_ignore,
	};
	int err = uprobe_register(inode, offset, &nobody);

	while (err == -ENOMEM) {
		schedule_timeout_uninterruptible(1);
		err = uprobe_register(inode, offset, &nobody);
	}
	if (!err)
		uprobe_unregister(inode, offset, &nobody);
#endif
}

/* Waits for running handlers. This is slow: call it once for many uprobes. */
static inline void sonde_uprobe_wait(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	uprobe_unregister_sync();
#endif
}

/* The type of uprobe_apply(), which is not exported. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define SONDE_TYPE_UPROBE_APPLY \
	"int(struct uprobe *, struct uprobe_consumer *, bool)"
typedef int (*sonde_uprobe_apply_t)(struct uprobe *uprobe,
				    struct uprobe_consumer *uc, bool add);
#else
#define SONDE_TYPE_UPROBE_APPLY \
	"int(struct inode *, loff_t, struct uprobe_consumer *, bool)"
typedef int (*sonde_uprobe_apply_t)(struct inode *inode, loff_t offset,
				    struct uprobe_consumer *uc, bool add);
#endif

/*
 * With @add, the breakpoint is inserted where the consumer's filter wants it
 * now; without, it is removed where no consumer wants it any more.
 */
static inline int sonde_uprobe_apply(sonde_uprobe_apply_t apply,
				     struct uprobe *uprobe,
				     struct inode *inode, loff_t offset,
				     struct uprobe_consumer *uc, bool add)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	return apply(uprobe, uc, add);
#else
	return apply(inode, offset, uc, add);
#endif
}

#endif
