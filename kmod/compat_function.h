/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Taps on functions of the kernel: what differs between kernel versions.
 *
 * Returns need the kernel's rethook (since 5.18). Its functions are not
 * exported, so they are looked up with these signatures.
 */
#ifndef SONDE_COMPAT_FUNCTION_H
#define SONDE_COMPAT_FUNCTION_H

#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/slab.h>
#include <linux/version.h>

/* Replaces the functions that @ops hooks. Before 5.18 one by one. */
static inline int sonde_set_filter(struct ftrace_ops *ops, unsigned long *ips,
				   unsigned int count)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0)
	return ftrace_set_filter_ips(ops, ips, count, 0, 1);
#else
	unsigned int n;
	int err = 0;

	for (n = 0; n < count && !err; n++)
		err = ftrace_set_filter_ip(ops, ips[n], 0, !n);
	return err;
#endif
}

#if defined(CONFIG_RETHOOK) && LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0)
#include <linux/rethook.h>
#define SONDE_RETHOOK

/* Since 6.6 a handler also gets the return address. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#define SONDE_RETHOOK_PARAMETERS(node, data, regs)         \
	struct rethook_node *node, void *data,             \
		unsigned long return_address, struct pt_regs *regs
#else
#define SONDE_RETHOOK_PARAMETERS(node, data, regs) \
	struct rethook_node *node, void *data, struct pt_regs *regs
#endif

struct sonde_rethook {
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	struct rethook *(*alloc)(void *data, rethook_handler_t handler,
				 int size, int count);
#else
	struct rethook *(*alloc)(void *data, rethook_handler_t handler);
	void (*add_node)(struct rethook *rethook, struct rethook_node *node);
#endif
	void (*free)(struct rethook *rethook);
	struct rethook_node *(*try_get)(struct rethook *rethook);
	void (*hook)(struct rethook_node *node, struct pt_regs *regs,
		     bool mcount);
};

/* Since 6.7 it allocates its nodes itself; before, the caller does, and it frees them. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
#define SONDE_TYPE_RETHOOK_ALLOC \
	"struct rethook *(void *, rethook_handler_t, int, int)"

static inline struct rethook *
sonde_rethook_alloc(const struct sonde_rethook *calls, void *data,
		    rethook_handler_t handler, int size, int count)
{
	struct rethook *rethook = calls->alloc(data, handler, size, count);

	return IS_ERR(rethook) ? NULL : rethook;
}
#else
#define SONDE_RETHOOK_ADDS
#define SONDE_TYPE_RETHOOK_ALLOC "struct rethook *(void *, rethook_handler_t)"

static inline struct rethook *
sonde_rethook_alloc(const struct sonde_rethook *calls, void *data,
		    rethook_handler_t handler, int size, int count)
{
	struct rethook *rethook = calls->alloc(data, handler);
	struct rethook_node *node;

	for (; rethook && count; count--) {
		node = kzalloc(size, GFP_KERNEL_ACCOUNT);
		if (!node) {
			calls->free(rethook);
			return NULL;
		}
		calls->add_node(rethook, node);
	}
	return rethook;
}
#endif

#endif

#endif
