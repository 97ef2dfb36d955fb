// SPDX-License-Identifier: GPL-2.0
/*
 * Taps in user programs: uprobes
 *
 * A uprobe is at the file offset of a tap's instruction. It belongs to one
 * session, and has all taps of the session at that place:
 *
 *   session->uprobes --> uprobe (file, offset, pid) --> tap --> tap
 *
 * Taps on instructions that leave a function come last, so that a function of
 * one instruction is entered before it is left. The consumer's filter keeps the
 * breakpoint out of processes that the session does not trace; so if a target
 * is added after taps were armed, the breakpoints are inserted then. A child of
 * a target has its parent's breakpoints.
 *
 * The handlers run in the thread, before the instruction. They decide whether
 * the instruction leaves its function (kmod/shared/leave.h), before anything
 * fires. They must not wait for memory, because the removal of a uprobe waits
 * for them: if the operand of a jump is absent, both the decision and the
 * firing are deferred until the thread is about to return to user mode, which
 * is before the jump (deferred.c).
 *
 * To disarm taps, wait once for all of them until no handler uses them, and
 * then free them: utap_disarm(), sonde_uprobe_wait(), utap_release().
 */
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/namei.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "kmod/arch.h"
#include "kmod/compat.h"
#include "kmod/compat_uprobe.h"
#include "kmod/core/hooks.h"
#include "kmod/core/memory.h"
#include "kmod/device/account.h"
#include "kmod/device/covers.h"
#include "kmod/device/deferred.h"
#include "kmod/device/fire.h"
#include "kmod/device/hold.h"
#include "kmod/device/programs.h"
#include "kmod/device/reenter.h"
#include "kmod/device/session.h"
#include "kmod/device/tap.h"

struct sonde_uprobe {
	struct sonde_uprobe_place place; /* this and pid are the key */
	struct sonde_armed __rcu *first; /* never NULL */
	struct sonde_session *session;
	u32 pid; /* only this process; 0: any */
	u32 taps;
	struct rb_node node;
};

static struct sonde_uprobe *utap_uprobe_of(struct uprobe_consumer *consumer)
{
	return container_of(consumer, struct sonde_uprobe, place.consumer);
}

static bool __maybe_unused utap_wants_process(const struct sonde_uprobe *uprobe,
					      u32 pid)
{
	if (uprobe->pid && uprobe->pid != pid &&
	    sonde_finder_origin(uprobe->session->finder, pid) != uprobe->pid)
		return false;
	return !READ_ONCE(uprobe->session->targeted) ||
	       sonde_has_target(uprobe->session, pid);
}

static bool utap_filter_mm(struct uprobe_consumer *consumer,
			   SONDE_UPROBE_CONTEXT struct mm_struct *mm)
{
	bool wants = true;
#ifdef CONFIG_MEMCG
	struct sonde_uprobe *uprobe = utap_uprobe_of(consumer);
	struct task_struct *owner;

	rcu_read_lock();
	owner = rcu_dereference(mm->owner);
	wants = owner && utap_wants_process(uprobe, owner->tgid);
	rcu_read_unlock();
#endif
	return wants;
}

/* Whether a tap fires at this hit. */
enum verdict { STAYS, FIRES, ABSENT };

/*
 * @deferred: an earlier tap of this hit was deferred, so this one must come
 * after it. Return: the value for the next tap.
 */
static __always_inline bool utap_fire_user(struct sonde_armed *armed,
					   struct sonde_firing *firing,
					   struct pt_regs *regs,
					   enum verdict verdict, bool deferred)
{
	const struct sonde_leave *leave =
		verdict == ABSENT ? &armed->tap.leave : NULL;
	struct sonde_session *session = armed->session;
	struct task_struct *task = current;

	firing->session = session;
	firing->task = task;
	firing->regs = regs;
	firing->call = -1;
	if (!sonde_tap_names(session, armed->tap.pid, armed->tap.flags,
			     task->tgid))
		return deferred;
	preempt_disable_notrace();
	if (!sonde_covers(session, task)) {
		preempt_enable_notrace();
		return deferred;
	}
	if (unlikely(READ_ONCE(armed->held))) {
		preempt_enable_notrace();
		sonde_hold_user(armed, firing, leave);
		return deferred;
	}
	deferred |= verdict == ABSENT;
	if (unlikely(deferred))
		sonde_fire_after(firing, armed->probe, leave);
	else
		deferred = sonde_fire_now(firing, armed->probe);
	preempt_enable_notrace();
	return deferred;
}

static int utap_read_operand(void *context, u64 address, u64 *value)
{
	bool *absent = context;

	*absent = sonde_read_present(address, value, sizeof(*value));
	return *absent ? -EFAULT : 0;
}

static enum verdict utap_leaves(const struct sonde_leave *leave,
				const struct pt_regs *regs)
{
	struct sonde_leave_state state SONDE_UNINITIALIZED;
	bool absent = false;

	state.pc = sonde_pc(regs);
	state.flags = sonde_flags_register(regs);
	state.read = utap_read_operand;
	state.context = &absent;
	if (leave->how == SONDE_LEAVE_JUMP_OPERAND)
		sonde_leave_fetch(regs, &state);
	if (sonde_leaves(leave, &state))
		return FIRES;
	return absent ? ABSENT : STAYS;
}

/* A jump that is not an entry is noted, and does not fire. */
static noinline enum verdict utap_judge(const struct sonde_armed *armed,
					struct sonde_firing *firing,
					const struct pt_regs *regs)
{
	struct sonde_session *session = armed->session;
	const struct sonde_tap *tap = &armed->tap;
	u32 probe = armed->probe->id;
	u64 entry = sonde_pc(regs) + tap->function - tap->offset;
	enum verdict verdict;

	if (tap->leave.how == SONDE_LEAVE_NONE)
		return sonde_reenter_take(session, probe, entry,
					  sonde_sp(regs)) ? STAYS : FIRES;
	verdict = utap_leaves(&tap->leave, regs);
	if (verdict == STAYS)
		return STAYS;
	if (tap->kind == SONDE_TAP_USER_ENTRY) {
		if (READ_ONCE(armed->probe->entries))
			sonde_reenter_note(session, probe, entry,
					   sonde_sp(regs));
		return STAYS;
	}
	memset(firing->args, 0, sizeof(firing->args));
	sonde_leave_args(firing->args, tap->offset - tap->function,
			 sonde_function_result(regs));
	return verdict;
}

/* What fires at one instruction may together cost as much as one probe; the rest is lost. */
static noinline void utap_lose(const struct sonde_armed *armed)
{
	if (!sonde_tap_names(armed->session, armed->tap.pid,
			     armed->tap.flags, current->tgid))
		return;
	preempt_disable_notrace();
	if (sonde_covers(armed->session, current))
		sonde_lose_probe(armed->session, armed->probe);
	preempt_enable_notrace();
}

static __always_inline struct sonde_armed *
utap_first(struct uprobe_consumer *consumer)
{
	return rcu_dereference_raw(utap_uprobe_of(consumer)->first);
}

/* The usual case: one tap, which always fires. */
static int utap_handle_plain(struct uprobe_consumer *consumer,
			     struct pt_regs *regs SONDE_UPROBE_DATA)
{
	struct sonde_armed *armed = utap_first(consumer);
	struct sonde_firing firing SONDE_UNINITIALIZED;

	firing.start.word = armed->start.word;
	utap_fire_user(armed, &firing, regs, FIRES, false);
	return 0;
}

static int utap_handle_each(struct uprobe_consumer *consumer,
			    struct pt_regs *regs SONDE_UPROBE_DATA)
{
	struct sonde_armed *armed = utap_first(consumer);
	struct sonde_firing firing SONDE_UNINITIALIZED;
	u32 left = SONDE_COST_MAX(armed->session);
	bool deferred = false;

	do {
		enum verdict verdict = FIRES;
		u32 cost = READ_ONCE(armed->probe->cost);

		firing.start.word = armed->start.word;
		if (READ_ONCE(armed->judged))
			verdict = utap_judge(armed, &firing, regs);
		if (verdict != STAYS && unlikely(cost > left)) {
			utap_lose(armed);
		} else if (verdict != STAYS) {
			left -= cost;
			deferred = utap_fire_user(armed, &firing, regs, verdict,
						  deferred);
		}
		armed = rcu_dereference_raw(armed->next);
	} while (armed);
	return 0;
}

static int (*analyze)(struct arch_uprobe *uprobe, struct mm_struct *mm,
		      unsigned long address) __ro_after_init;
static sonde_uprobe_apply_t apply __ro_after_init;

/**
 * sonde_uprobes_init() - look up symbols that are not exported
 *
 * Context: Process context, module load.
 */
void sonde_uprobes_init(void)
{
	analyze = sonde_function_call("arch_uprobe_analyze_insn",
				      "int(struct arch_uprobe *, struct mm_struct *, long unsigned int)");
	apply = sonde_function_call("uprobe_apply", SONDE_TYPE_UPROBE_APPLY);
}

/*
 * The kernel checks the instruction when a process maps it, maybe long after
 * the uprobe was registered, and does not report a failure. So it is checked
 * now.
 */
static int utap_check_instruction(const struct sonde_uprobe_file *in,
				  const struct sonde_tap *tap, char *why)
{
	u64 offset = tap->offset;
	struct arch_uprobe uprobe = {};
	loff_t at = offset;
	ssize_t got = kernel_read(in->file, uprobe.insn, sizeof(uprobe.insn),
				  &at);

	if (got <= 0) {
		scnprintf(why, SONDE_WHY, "the file has no byte at offset 0x%llx",
			  offset);
		return got < 0 ? got : -EINVAL;
	}
	if ((tap->flags & SONDE_TAP_NOP) && uprobe.insn[0] != SONDE_NOP_INSN)
		return sonde_refuse(why, -ENOEXEC,
				    "there is no nop any more at %s+0x%llx: the file has changed since its notes were read",
				    in->path, offset);
	if (uprobe.insn[0] == UPROBE_SWBP_INSN ||
	    (analyze && analyze(&uprobe, current->mm, offset)))
		return sonde_refuse(why, -ENOEXEC,
				    "this kernel cannot probe the instruction at %s+0x%llx",
				    in->path, offset);
	return 0;
}

static union sonde_firing_start utap_firing_start(const struct sonde_tap *tap)
{
	bool entry = tap->kind == SONDE_TAP_USER_ENTRY;
	bool leaving = tap->kind == SONDE_TAP_USER_RETURN;

	return (union sonde_firing_start){
		.tap = tap->arguments ? tap->id : 0,
		.located = tap->arguments != 0,
		.at_edge = entry || leaving || tap->offset == tap->function,
		.stack_args = entry,
		.args_source = leaving ? SONDE_ARGS_READY : SONDE_ARGS_USER,
	};
}

/*
 * Opens only a regular file: opening others may block or have side effects. The
 * file that is opened is the one that was checked, even if the name has changed
 * meanwhile.
 */
static struct file *utap_open_regular(const char *name)
{
	struct file *file = ERR_PTR(-EINVAL);
	struct path found;
	int err = kern_path(name, LOOKUP_FOLLOW, &found);

	if (err)
		return ERR_PTR(err);
	if (d_is_reg(found.dentry))
		file = sonde_open_path(&found, O_RDONLY | O_LARGEFILE);
	path_put(&found);
	return file;
}

/*
 * @path has no NUL. Return: 0; -EPERM: files in every process need root;
 * -ENOMEM; or an error of opening the file.
 */
static int utap_open_file(struct sonde_session *session, const char *path,
			  u32 length, struct sonde_uprobe_file *file, char *why)
{
	struct file *found;
	char *name;

	if (!session->privileged && !session->targeted)
		return sonde_refuse(why, -EPERM,
				    "only root may probe a file in every process: name targets first");
	name = kmemdup_nul(path, length, GFP_KERNEL);
	if (!name)
		return -ENOMEM;
	found = utap_open_regular(name);
	if (IS_ERR(found)) {
		scnprintf(why, SONDE_WHY, PTR_ERR(found) == -EINVAL ?
			  "%s: not a regular file" : "%s: cannot open it",
			  name);
		kfree(name);
		return PTR_ERR(found);
	}
	file->file = found;
	file->inode = d_real_inode(found->f_path.dentry); /* the inode that mappings have */
	file->path = name;
	return 0;
}

static void utap_close_file(struct sonde_arming *arming)
{
	struct sonde_uprobe_file *file = &arming->file;

	if (!file->file)
		return;
	fput(file->file);
	kfree(file->path);
	file->file = NULL;
}

static int utap_compare(const struct sonde_uprobe *uprobe,
			const struct inode *inode, u64 offset, u32 pid)
{
	if (inode != uprobe->place.inode)
		return inode < uprobe->place.inode ? -1 : 1;
	if (offset != uprobe->place.offset)
		return offset < uprobe->place.offset ? -1 : 1;
	return pid < uprobe->pid ? -1 : pid > uprobe->pid;
}

/* Return: NULL if there is none; then @parent and @link are its place. */
static struct sonde_uprobe *utap_find(struct sonde_session *session,
				      const struct inode *inode, u64 offset,
				      u32 pid, struct rb_node **parent,
				      struct rb_node ***link)
{
	*link = &session->uprobes.rb_node;
	*parent = NULL;
	while (**link) {
		struct sonde_uprobe *uprobe =
			rb_entry(**link, struct sonde_uprobe, node);
		int side = utap_compare(uprobe, inode, offset, pid);

		if (!side)
			return uprobe;
		*parent = **link;
		*link = side < 0 ? &(*parent)->rb_left : &(*parent)->rb_right;
	}
	return NULL;
}

static struct sonde_armed *utap_tap_at(struct sonde_armed __rcu *const *link)
{
	return rcu_dereference_protected(*link, true);
}

/*
 * A handler that is still running as the other kind misses only what is new, or
 * sees what was there.
 */
static void utap_choose_handler(struct sonde_uprobe *uprobe)
{
	const struct sonde_armed *first = utap_tap_at(&uprobe->first);
	bool plain = !first->judged && !utap_tap_at(&first->next);

	WRITE_ONCE(uprobe->place.consumer.handler,
		   plain ? utap_handle_plain : utap_handle_each);
}

/* Adds a tap after the existing ones; one on a leaving instruction after all. */
static void utap_attach_tap(struct sonde_uprobe *uprobe,
			    struct sonde_armed *armed)
{
	struct sonde_armed __rcu **link = &uprobe->first;
	struct sonde_armed *at;

	while ((at = utap_tap_at(link)) &&
	       (armed->tap.leave.how || !at->tap.leave.how))
		link = &at->next;
	RCU_INIT_POINTER(armed->next, at);
	rcu_assign_pointer(*link, armed);
	armed->uprobe = uprobe;
	uprobe->taps++;
	utap_choose_handler(uprobe);
}

/* A handler that is at this tap can still continue from it. */
static void utap_detach_tap(struct sonde_uprobe *uprobe,
			    struct sonde_armed *armed)
{
	struct sonde_armed __rcu **link = &uprobe->first;

	while (utap_tap_at(link) != armed)
		link = &utap_tap_at(link)->next;
	rcu_assign_pointer(*link, utap_tap_at(&armed->next));
	armed->uprobe = NULL;
	uprobe->taps--;
	utap_choose_handler(uprobe);
}

/* Registers a uprobe for the first tap at its place. */
static int utap_register(struct sonde_armed *armed, struct inode *inode,
			 struct rb_node *parent, struct rb_node **link,
			 char *why)
{
	struct sonde_session *session = armed->session;
	struct sonde_uprobe *uprobe =
		sonde_alloc_within(&session->account->requested,
				   SONDE_MEMORY_TAPS, sizeof(*uprobe),
				   GFP_KERNEL);
	int err;

	if (!uprobe)
		return -ENOMEM;
	uprobe->place.consumer.filter = utap_filter_mm;
	uprobe->place.inode = igrab(inode);
	uprobe->place.offset = armed->tap.offset;
	uprobe->place.counter = armed->counter;
	uprobe->session = session;
	uprobe->pid = armed->tap.pid;
	err = -ENOENT;
	if (!uprobe->place.inode)
		goto out_free;
	utap_attach_tap(uprobe, armed);
	err = sonde_uprobe_register(&uprobe->place);
	if (err) {
		scnprintf(why, SONDE_WHY, "tap %u: cannot put a uprobe at offset 0x%llx",
			  armed->tap.id, armed->tap.offset);
		goto out_put;
	}
	rb_link_node(&uprobe->node, parent, link);
	rb_insert_color(&uprobe->node, &session->uprobes);
	return 0;

out_put:
	armed->uprobe = NULL;
	iput(uprobe->place.inode);
out_free:
	sonde_free(uprobe);
	return err;
}

static bool utap_is_reenter(const struct sonde_armed *armed)
{
	return armed->tap.kind == SONDE_TAP_USER_ENTRY &&
	       armed->tap.leave.how != SONDE_LEAVE_NONE;
}

/* From now on the taps of the probe at the entry look for notes. */
static void utap_judge_entries(struct sonde_armed *armed,
			       const struct inode *inode)
{
	struct rb_node *parent, **link;
	struct sonde_uprobe *uprobe = utap_find(armed->session, inode,
						armed->tap.function,
						armed->tap.pid, &parent, &link);
	struct sonde_armed *at;

	if (!uprobe)
		return;
	for (at = utap_tap_at(&uprobe->first); at; at = utap_tap_at(&at->next))
		if (at->probe == armed->probe)
			WRITE_ONCE(at->judged, true);
	utap_choose_handler(uprobe);
}

static void utap_count(struct sonde_armed *armed, s32 by)
{
	if (utap_is_reenter(armed)) {
		armed->probe->reenters += by;
		armed->session->reenter_taps += by;
	} else if (armed->tap.kind == SONDE_TAP_USER_ENTRY) {
		armed->probe->entries += by;
	}
}

/*
 * Return: 0; -ENOEXEC: the kernel cannot probe this instruction; -E2BIG: too
 * many taps at one instruction; -ENOMEM; or an error of uprobe_register().
 */
static int utap_arm_in(struct sonde_armed *armed,
		       const struct sonde_uprobe_file *file, char *why)
{
	const struct sonde_tap *tap = &armed->tap;
	struct rb_node *parent, **link;
	struct sonde_uprobe *uprobe;
	int err = utap_check_instruction(file, tap, why);

	if (err)
		return err;
	armed->start = utap_firing_start(tap);
	armed->judged = tap->leave.how || armed->probe->reenters;
	if (utap_is_reenter(armed))
		utap_judge_entries(armed, file->inode);
	uprobe = utap_find(armed->session, file->inode, tap->offset, tap->pid,
			   &parent, &link);
	if (uprobe && uprobe->taps == SONDE_SITE_MAX)
		return sonde_refuse(why, -E2BIG, "at most %u taps at one place",
				    SONDE_SITE_MAX);
	if (uprobe && uprobe->place.counter != armed->counter)
		return sonde_refuse(why, -EINVAL,
				    "tap %u: another tap at its place has another counter",
				    tap->id);
	if (uprobe)
		utap_attach_tap(uprobe, armed);
	else
		err = utap_register(armed, file->inode, parent, link, why);
	if (!err)
		utap_count(armed, 1);
	return err;
}

/* A tap that the kernel cannot probe is left out; the others are still armed. */
static int utap_arm(struct sonde_armed *armed, const char *path,
		    struct sonde_arming *arming, char *why)
{
	u32 length = armed->tap.path_length;
	int err = 0;

	if (length) {
		utap_close_file(arming);
		err = utap_open_file(armed->session, path, length,
				     &arming->file, why);
	}
	if (!err)
		err = utap_arm_in(armed, &arming->file, why);
	if (err != -ENOEXEC)
		return err;
	if (!arming->left_out++)
		strscpy(arming->first, why, sizeof(arming->first));
	why[0] = 0;
	return 0;
}

static void utap_disarm(struct sonde_armed *armed)
{
	struct sonde_uprobe *uprobe = armed->uprobe;

	if (!uprobe)
		return;
	utap_count(armed, -1);
	if (utap_tap_at(&uprobe->first) != armed || utap_tap_at(&armed->next)) {
		utap_detach_tap(uprobe, armed);
		sonde_uprobe_settle(&uprobe->place);
		return;
	}
	rb_erase(&uprobe->node, &uprobe->session->uprobes);
	sonde_uprobe_unregister(&uprobe->place);
}

static void utap_release(struct sonde_armed *armed)
{
	if (!armed->uprobe)
		return;
	iput(armed->uprobe->place.inode);
	sonde_free(armed->uprobe);
	armed->uprobe = NULL;
}

/*
 * Inserts the breakpoints into a new target, and removes them from processes
 * that the session does not trace any more: with the first target it stops
 * tracing every process. Return: 0, -EOPNOTSUPP, or an error of uprobe_apply().
 */
static int utap_retarget(struct sonde_session *session, char *why)
{
	struct rb_node *node;
	int err = 0;

	lockdep_assert_held(&session->lock);
	for (node = rb_first(&session->uprobes); node && !err;
	     node = rb_next(node)) {
		struct sonde_uprobe *uprobe =
			rb_entry(node, struct sonde_uprobe, node);

		err = -EOPNOTSUPP;
		if (apply)
			err = sonde_uprobe_apply(apply, &uprobe->place, true) ?:
			      sonde_uprobe_apply(apply, &uprobe->place, false);
		if (err)
			scnprintf(why, SONDE_WHY, "cannot put a uprobe at offset 0x%llx into the process",
				  uprobe->place.offset);
	}
	return err;
}

static int utap_hold(struct sonde_armed *armed, bool held)
{
	WRITE_ONCE(armed->held, held);
	return 0;
}

static int utap_check(struct sonde_session *session,
		      const struct sonde_tap *tap, char *why)
{
	if (!IS_ENABLED(CONFIG_MEMCG) && !session->privileged)
		return sonde_refuse(why, -EOPNOTSUPP,
				    "this kernel (without CONFIG_MEMCG) puts breakpoints into every process: only CAP_SYS_PTRACE may have them");
	return sonde_tap_check_perfmon(session, why);
}

const struct sonde_tap_ops sonde_user_taps = {
	.has_file = true,
	.kinds = BIT(SONDE_TAP_USER_ENTRY) | BIT(SONDE_TAP_USER_RETURN) |
		 BIT(SONDE_TAP_USER_OFFSET),
	.check = utap_check,
	.arm = utap_arm,
	.disarm = utap_disarm,
	.hold = utap_hold,
	.leave = utap_close_file,
	.retarget = utap_retarget,
	.wait = sonde_uprobe_wait,
	.free = utap_release,
};
