/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Uprobes as they differ between kernel versions: a part of compat.h.
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

/* Opens what a path leads to, with the checks of open(). */
static inline struct file *sonde_open_path(const struct path *path, int flags)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
	return file_open_root(path, "", flags, 0);
#else
	return file_open_root(path->dentry, path->mnt, "", flags, 0);
#endif
}

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

/* Handlers that run may go on until sonde_uprobe_wait(). */
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
 * Handlers of a uprobe that stays registered, and that run, may go on until
 * sonde_uprobe_wait(). Before 6.12 only a consumer that goes waits for them.
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

/* It takes long: once for many that were unregistered. */
static inline void sonde_uprobe_wait(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	uprobe_unregister_sync();
#endif
}

/* uprobe_apply(), which is not exported. */
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
 * With @add, the breakpoint comes where the consumer's filter wants it now;
 * without, it goes where no consumer wants it any more.
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
