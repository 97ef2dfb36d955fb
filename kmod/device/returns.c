// SPDX-License-Identifier: GPL-2.0
/*
 * Returns of functions of the kernel
 *
 * The kernel's rethook replaces a return address by that of its own trampoline,
 * and keeps the real one in a node, on a list of the thread. So nothing of ours
 * is on a stack: a function that is running when the session ends returns
 * through the kernel's code, which then frees the node. kretprobes, the other
 * way, are armed one by one, each with nodes of its own.
 *
 * A session has `returns_most` nodes: so many calls of its functions may be under way
 * at the same time, threads that sleep in one included. The others are counted
 * as lost.
 */
#include <linux/moduleparam.h>

#include "kmod/compat_function.h"
#include "kmod/core/hooks.h"
#include "kmod/device/functions.h"
#include "kmod/device/session.h"

#ifdef SONDE_RETHOOK

static unsigned int returns_most = 8192;
module_param(returns_most, uint, 0644);
MODULE_PARM_DESC(returns_most,
		 "calls that may be under way, in a session, of functions of the kernel whose returns fire");

struct return_node {
	struct rethook_node node; /* first, because rethook frees it */
	unsigned long ip;
};

/* Their looked-up functions; free is NULL if one is missing. */
static struct sonde_rethook rethook __ro_after_init;

/*
 * Functions whose returns cannot be hooked: the current task changes in the
 * first one; the others are what a hooked return calls.
 */
static const char *const refused[] = {
	"__switch_to", "arch_rethook_trampoline_callback",
	"rethook_trampoline_handler",
};

static unsigned long refused_at[ARRAY_SIZE(refused)] __ro_after_init;

static notrace void
return_handle(SONDE_RETHOOK_PARAMETERS(node, data, regs))
{
	struct sonde_session *session = data;

	if (READ_ONCE(session->going))
		sonde_function_returned(session,
					container_of(node, struct return_node,
						     node)->ip,
					regs);
}

/**
 * sonde_returns_init() - look up symbols that are not exported
 *
 * Context: Process context, module load.
 */
void sonde_returns_init(void)
{
	void (*end)(struct rethook *rethook);
	u32 n;

	for (n = 0; n < ARRAY_SIZE(refused); n++)
		refused_at[n] = sonde_location(sonde_lookup(refused[n]));
	rethook.alloc = sonde_function_call("rethook_alloc",
					    SONDE_TYPE_RETHOOK_ALLOC);
	rethook.try_get = sonde_function_call("rethook_try_get",
					      "struct rethook_node *(struct rethook *)");
	rethook.hook = sonde_function_call("rethook_hook",
					   "void(struct rethook_node *, struct pt_regs *, bool)");
	end = sonde_function_call("rethook_free", "void(struct rethook *)");
#ifdef SONDE_RETHOOK_ADDS
	rethook.add_node = sonde_function_call("rethook_add_node",
					       "void(struct rethook *, struct rethook_node *)");
	if (!rethook.add_node)
		return;
#endif
	if (rethook.alloc && rethook.try_get && rethook.hook)
		rethook.free = end;
}

/**
 * sonde_returns_check() - check whether returns can be hooked
 * @why: the message for the user if not
 *
 * Context: Any.
 * Return: 0 or -EOPNOTSUPP.
 */
int sonde_returns_check(char *why)
{
	if (rethook.free)
		return 0;
	return sonde_refuse(why, -EOPNOTSUPP,
			    "returns of the kernel's functions: the rethook of this kernel has other functions than the module knows");
}

/* Whether the return of a function can be hooked. @ip: where ftrace calls from in it. */
bool sonde_returns_at(unsigned long ip)
{
	u32 n;

	for (n = 0; n < ARRAY_SIZE(refused_at); n++)
		if (refused_at[n] == ip)
			return false;
	return true;
}

/**
 * sonde_returns_make() - what a session needs for returns
 * @session: its lock is held
 *
 * Context: Process context. May sleep.
 * Return: what sonde_returns_end() frees; NULL: no memory.
 */
struct rethook *sonde_returns_make(struct sonde_session *session)
{
	return sonde_rethook_alloc(&rethook, session, return_handle,
				   sizeof(struct return_node),
				   READ_ONCE(returns_most));
}

/**
 * sonde_returns_end() - fire no returns any more
 * @returns: of sonde_returns_make()
 *
 * A return may fire until RCU has waited.
 *
 * Context: Process context. May sleep.
 */
void sonde_returns_end(struct rethook *returns)
{
	rethook.free(returns);
}

/**
 * sonde_returns_hook() - hook the return of the function that has just begun
 * @returns: of sonde_returns_make()
 * @ip: where ftrace calls from in the function
 * @regs: at its first instruction
 *
 * Context: Any but NMI; preemption is off, and RCU is watching.
 * Return: false: there is no node left.
 */
bool sonde_returns_hook(struct rethook *returns, unsigned long ip,
			struct pt_regs *regs)
{
	struct rethook_node *node = rethook.try_get(returns);

	if (!node)
		return false;
	container_of(node, struct return_node, node)->ip = ip;
	rethook.hook(node, regs, true);
	return true;
}

#else

void sonde_returns_init(void)
{
}

int sonde_returns_check(char *why)
{
	return sonde_refuse(why, -EOPNOTSUPP,
			    "returns of the kernel's functions need Linux 5.18 with CONFIG_RETHOOK");
}

bool sonde_returns_at(unsigned long ip)
{
	return false;
}

struct rethook *sonde_returns_make(struct sonde_session *session)
{
	return NULL;
}

void sonde_returns_end(struct rethook *returns)
{
}

bool sonde_returns_hook(struct rethook *returns, unsigned long ip,
			struct pt_regs *regs)
{
	return false;
}

#endif
