// SPDX-License-Identifier: GPL-2.0
/*
 * Taps in user programs: uprobes
 *
 * A tap is one uprobe consumer at the file offset of its site: of the
 * instruction, or, for a return, of its function's entry. The consumer's filter
 * keeps the breakpoint out of processes that the session does not trace; so a
 * target that is named after its taps were armed has them registered anew.
 * A process that is born of a target has its parent's breakpoints.
 *
 * The handlers run in the thread, before the instruction, and may sleep: memory
 * that is not present is brought in.
 */
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/namei.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "kmod/compat.h"
#include "kmod/compat_uprobe.h"
#include "kmod/core/hooks.h"
#include "kmod/device/fire.h"
#include "kmod/device/session.h"

#define RETURN_OFFSET_UNKNOWN U64_MAX
#define BREAKPOINT 0xcc

struct sonde_uprobe {
	struct uprobe_consumer consumer;
	struct sonde_armed *armed;
	union sonde_firing_start start; /* of its firings */
	struct inode *inode;
	struct uprobe *handle;
	bool registered;
};

static u64 site_offset(const struct sonde_tap *tap)
{
	return tap->kind == SONDE_TAP_USER_RETURN ? tap->function : tap->offset;
}

static bool __maybe_unused wants_process(const struct sonde_armed *armed,
					 u32 pid)
{
	if (armed->tap.pid && armed->tap.pid != pid)
		return false;
	return !READ_ONCE(armed->session->targeted) ||
	       sonde_has_target(armed->session, pid);
}

static bool filter_mm(struct uprobe_consumer *consumer,
		      SONDE_UPROBE_CONTEXT struct mm_struct *mm)
{
	bool wants = true;
#ifdef CONFIG_MEMCG
	struct sonde_uprobe *uprobe =
		container_of(consumer, struct sonde_uprobe, consumer);
	struct task_struct *owner;

	rcu_read_lock();
	owner = rcu_dereference(mm->owner);
	wants = owner && wants_process(uprobe->armed, owner->tgid);
	rcu_read_unlock();
#endif
	return wants;
}

static __always_inline void fire_user(struct sonde_uprobe *uprobe,
				      struct sonde_firing *firing,
				      struct pt_regs *regs)
{
	struct sonde_armed *armed = uprobe->armed;
	struct sonde_session *session = armed->session;
	struct task_struct *task = current;

	firing->session = session;
	firing->task = task;
	firing->regs = regs;
	firing->call = -1;
	if (armed->tap.pid && armed->tap.pid != task->tgid)
		return;
	preempt_disable_notrace();
	if (!sonde_covers(session, task)) {
		preempt_enable_notrace();
		return;
	}
	if (unlikely(READ_ONCE(armed->held))) {
		preempt_enable_notrace();
		sonde_hold_user(armed, firing);
		return;
	}
	if (unlikely(sonde_fire_now(firing, armed->probe))) {
		preempt_enable_notrace();
		sonde_run_late();
		return;
	}
	preempt_enable_notrace();
}

static int handle_site(struct uprobe_consumer *consumer,
		       struct pt_regs *regs SONDE_UPROBE_DATA)
{
	struct sonde_uprobe *uprobe =
		container_of(consumer, struct sonde_uprobe, consumer);
	struct sonde_firing firing SONDE_UNINITIALIZED;

	firing.start.word = uprobe->start.word;
	fire_user(uprobe, &firing, regs);
	return 0;
}

static int handle_return(struct uprobe_consumer *consumer, unsigned long func,
			 struct pt_regs *regs SONDE_UPROBE_DATA)
{
	struct sonde_uprobe *uprobe =
		container_of(consumer, struct sonde_uprobe, consumer);
	const struct sonde_tap *tap = &uprobe->armed->tap;
	struct sonde_firing firing SONDE_UNINITIALIZED;

	firing.start.word = 0;
	memset(firing.args, 0, sizeof(firing.args));
	firing.args[0] = tap->offset > tap->function ?
		tap->offset - tap->function : RETURN_OFFSET_UNKNOWN;
	firing.args[1] = regs->ax;
	fire_user(uprobe, &firing, regs);
	return 0;
}

static int (*analyze)(struct arch_uprobe *uprobe, struct mm_struct *mm,
		      unsigned long address);

/**
 * sonde_uprobes_init() - look up what is not exported
 *
 * Context: Process context, module load.
 */
void sonde_uprobes_init(void)
{
	analyze = sonde_lookup_call("arch_uprobe_analyze_insn");
}

/*
 * The kernel looks at the instruction when a process maps it, perhaps long after
 * the uprobe was registered, and then says nothing: so it is asked now.
 */
static int check_instruction(struct file *file, const char *path, u64 offset,
			     char *why)
{
	struct arch_uprobe uprobe = {};
	loff_t at = offset;
	ssize_t got = kernel_read(file, uprobe.insn, sizeof(uprobe.insn), &at);

	if (got <= 0) {
		scnprintf(why, SONDE_WHY, "the file has no byte at offset 0x%llx",
			  offset);
		return got < 0 ? got : -EINVAL;
	}
	if (uprobe.insn[0] == BREAKPOINT ||
	    (analyze && analyze(&uprobe, current->mm, offset))) {
		scnprintf(why, SONDE_WHY,
			  "this kernel cannot probe the instruction at %s+0x%llx",
			  path, offset);
		return -ENOEXEC;
	}
	return 0;
}

static union sonde_firing_start firing_start(const struct sonde_tap *tap)
{
	bool entry = tap->kind == SONDE_TAP_USER_ENTRY;

	return (union sonde_firing_start){
		.at_entry = entry || tap->offset == tap->function,
		.stack_args = entry,
		.args_source = SONDE_ARGS_USER,
	};
}

static int start(struct sonde_uprobe *uprobe, char *why)
{
	struct uprobe *handle;

	handle = sonde_uprobe_register(uprobe->inode,
				       site_offset(&uprobe->armed->tap),
				       &uprobe->consumer);
	if (IS_ERR(handle)) {
		scnprintf(why, SONDE_WHY, "tap %u: cannot put a uprobe at offset 0x%llx",
			  uprobe->armed->tap.id,
			  site_offset(&uprobe->armed->tap));
		return PTR_ERR(handle);
	}
	uprobe->handle = handle;
	uprobe->registered = true;
	return 0;
}

static void stop(struct sonde_uprobe *uprobe)
{
	if (uprobe->registered)
		sonde_uprobe_unregister(uprobe->handle, uprobe->inode,
					site_offset(&uprobe->armed->tap),
					&uprobe->consumer);
	uprobe->registered = false;
}

/* Only a regular file is opened: others would block, or do things. */
static struct file *open_regular(const char *path)
{
	struct path found;
	bool regular;
	int err = kern_path(path, LOOKUP_FOLLOW, &found);

	if (err)
		return ERR_PTR(err);
	regular = d_is_reg(found.dentry);
	path_put(&found);
	return regular ? filp_open(path, O_RDONLY | O_LARGEFILE | O_NONBLOCK, 0) :
			 ERR_PTR(-EINVAL);
}

static int find_file(struct sonde_uprobe *uprobe, const char *path, char *why)
{
	u64 offset = site_offset(&uprobe->armed->tap);
	struct file *file = open_regular(path);
	int err;

	if (IS_ERR(file)) {
		scnprintf(why, SONDE_WHY, PTR_ERR(file) == -EINVAL ?
			  "%s: not a regular file" : "%s: cannot open it",
			  path);
		return PTR_ERR(file);
	}
	err = check_instruction(file, path, offset, why);
	if (!err) {
		/* of an overlay, the inode that mappings have */
		uprobe->inode = igrab(d_real_inode(file->f_path.dentry));
		err = uprobe->inode ? 0 : -ENOENT;
	}
	fput(file);
	return err;
}

/**
 * sonde_uprobe_arm() - arm a user tap
 * @armed: a tap of kind USER_*; the session's lock is held
 * @path: its file; tap.path_length bytes, no NUL
 * @why: what to tell the user on failure
 *
 * Context: Process context. May sleep.
 * Return: 0, -EPERM everybody's programs, and not root, -ENOEXEC the kernel
 * cannot probe this instruction, -ENOMEM, errors of the file's name and of
 * uprobe_register().
 */
int sonde_uprobe_arm(struct sonde_armed *armed, const char *path, char *why)
{
	struct sonde_uprobe *uprobe;
	char *name;
	int err = -ENOMEM;

	if (!armed->session->privileged && !armed->session->targeted) {
		scnprintf(why, SONDE_WHY, "only root may probe a file in every process: name targets first");
		return -EPERM;
	}
	name = kmemdup_nul(path, armed->tap.path_length, GFP_KERNEL);
	uprobe = kzalloc(sizeof(*uprobe), GFP_KERNEL_ACCOUNT);
	if (!name || !uprobe)
		goto out_free;
	uprobe->armed = armed;
	uprobe->start = firing_start(&armed->tap);
	uprobe->consumer.filter = filter_mm;
	if (armed->tap.kind == SONDE_TAP_USER_RETURN)
		uprobe->consumer.ret_handler = handle_return;
	else
		uprobe->consumer.handler = handle_site;
	err = find_file(uprobe, name, why);
	if (err)
		goto out_free;
	err = start(uprobe, why);
	if (err)
		goto out_put;
	armed->uprobe = uprobe;
	kfree(name);
	return 0;

out_put:
	iput(uprobe->inode);
out_free:
	kfree(uprobe);
	kfree(name);
	return err;
}

/**
 * sonde_uprobe_disarm() - take a user tap out
 * @armed: a tap of kind USER_*, with or without a uprobe
 *
 * It does not fire any more when this returns.
 *
 * Context: Process context. May sleep.
 */
void sonde_uprobe_disarm(struct sonde_armed *armed)
{
	if (!armed->uprobe)
		return;
	stop(armed->uprobe);
	iput(armed->uprobe->inode);
	kfree(armed->uprobe);
	armed->uprobe = NULL;
}

/**
 * sonde_uprobes_retarget() - put the user taps into a new target
 * @session: its lock is held
 * @why: what to tell the user on failure
 *
 * Context: Process context. May sleep.
 * Return: 0, or errors of uprobe_register(); the tap stays out then.
 */
int sonde_uprobes_retarget(struct sonde_session *session, char *why)
{
	struct sonde_armed *armed;
	unsigned long id;
	int err = 0;

	lockdep_assert_held(&session->lock);
	xa_for_each(&session->taps, id, armed) {
		if (!armed->uprobe)
			continue;
		stop(armed->uprobe);
		err = start(armed->uprobe, why);
		if (err)
			break;
	}
	return err;
}
