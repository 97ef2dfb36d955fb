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

/* Opens the file at a path, with the checks of open(). */
static inline struct file *sonde_open_path(const struct path *path, int flags)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
	return file_open_root(path, "", flags, 0);
#else
	return file_open_root(path->dentry, path->mnt, "", flags, 0);
#endif
}

/* Where a uprobe is registered, and what handles it. */
struct sonde_uprobe_place {
	struct uprobe_consumer consumer;
	struct inode *inode;
	u64 offset;
	u64 counter; /* in the file: 16 bits that the kernel raises meanwhile; 0: none */
	struct uprobe *handle; /* since 6.12 */
};

/*
 * sonde_uprobe_register: returns 0 or an error
 * sonde_uprobe_unregister: handlers may still run until sonde_uprobe_wait()
 *	returns
 * sonde_uprobe_wait: waits for running handlers. This is slow: call it once for
 *	many uprobes
 * sonde_uprobe_settle: the same for a uprobe that stays registered, before 6.12.
 *	There only the unregistering of a consumer waits, so one is registered
 *	and unregistered
 * sonde_uprobe_apply: with @add, the breakpoint is inserted where the consumer's
 *	filter wants it now; without, it is removed where no consumer wants it
 *	any more. @apply is uprobe_apply(), which is not exported
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)

#define SONDE_UPROBE_CONTEXT

static inline int sonde_uprobe_register(struct sonde_uprobe_place *place)
{
	place->handle = uprobe_register(place->inode, place->offset,
					place->counter, &place->consumer);
	return PTR_ERR_OR_ZERO(place->handle);
}

static inline void sonde_uprobe_unregister(struct sonde_uprobe_place *place)
{
	uprobe_unregister_nosync(place->handle, &place->consumer);
}

static inline void sonde_uprobe_wait(void)
{
	uprobe_unregister_sync();
}

static inline void sonde_uprobe_settle(struct sonde_uprobe_place *place)
{
}

#define SONDE_TYPE_UPROBE_APPLY \
	"int(struct uprobe *, struct uprobe_consumer *, bool)"
typedef int (*sonde_uprobe_apply_t)(struct uprobe *uprobe,
				    struct uprobe_consumer *uc, bool add);

static inline int sonde_uprobe_apply(sonde_uprobe_apply_t apply,
				     struct sonde_uprobe_place *place, bool add)
{
	return apply(place->handle, &place->consumer, add);
}

#else

#define SONDE_UPROBE_CONTEXT enum uprobe_filter_ctx context,

static inline int sonde_uprobe_register(struct sonde_uprobe_place *place)
{
	return uprobe_register_refctr(place->inode, place->offset,
				      place->counter, &place->consumer);
}

static inline void sonde_uprobe_unregister(struct sonde_uprobe_place *place)
{
	uprobe_unregister(place->inode, place->offset, &place->consumer);
}

static inline void sonde_uprobe_wait(void)
{
}

static inline bool sonde_uprobe_wants_nobody(struct uprobe_consumer *uc,
					     SONDE_UPROBE_CONTEXT
					     struct mm_struct *mm)
{
	return false;
}

static inline int sonde_uprobe_ignore(struct uprobe_consumer *uc,
				      struct pt_regs *regs)
{
	return 0;
}

static inline void sonde_uprobe_settle(struct sonde_uprobe_place *place)
{
	struct sonde_uprobe_place nobody = {
		.consumer.filter = sonde_uprobe_wants_nobody,
		.consumer.handler = sonde_uprobe_ignore,
		.inode = place->inode,
		.offset = place->offset,
		.counter = place->counter,
	};
	int err = sonde_uprobe_register(&nobody);

	while (err == -ENOMEM) {
		schedule_timeout_uninterruptible(1);
		err = sonde_uprobe_register(&nobody);
	}
	if (!err)
		sonde_uprobe_unregister(&nobody);
}

#define SONDE_TYPE_UPROBE_APPLY \
	"int(struct inode *, loff_t, struct uprobe_consumer *, bool)"
typedef int (*sonde_uprobe_apply_t)(struct inode *inode, loff_t offset,
				    struct uprobe_consumer *uc, bool add);

static inline int sonde_uprobe_apply(sonde_uprobe_apply_t apply,
				     struct sonde_uprobe_place *place, bool add)
{
	return apply(place->inode, place->offset, &place->consumer, add);
}

#endif

#endif
