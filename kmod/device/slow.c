// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that is not present
 *
 * The ECBs of a firing run with preemption off: a record is made where one CPU
 * writes. So a program that misses memory cannot wait for it. Its record is not
 * committed, what it stored in variables is taken back, and the firing is put
 * off, from this ECB on:
 *
 *   fire --- present: commit, the next ECB
 *       `--- absent: put off --> task work --> slow: run --- present: commit
 *                                               ^           `--- absent: bring in
 *                                               `----------------------------'
 *
 * The hooks before a system call have it done at once, so before the call; all
 * others when the thread is about to return to user mode, which in user programs
 * is before the instruction.
 *
 * A jump through memory that is absent is judged there, too: whether it leaves its
 * function, so whether anything fires.
 *
 * Where nothing is, the fault is the program's. The record has the time of its
 * last run, unless an earlier ECB of the firing is recorded already.
 *
 * The slow firing is also the one that ECBs can hold (hold.c).
 */
#include <linux/rcupdate.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/arch.h"
#include "kmod/core/memory.h"
#include "kmod/device/buffer.h"
#include "kmod/device/covers.h"
#include "kmod/device/events.h"
#include "kmod/device/fire.h"
#include "kmod/device/hold.h"
#include "kmod/device/session.h"
#include "kmod/device/slow.h"
#include "kmod/device/works.h"
#include "kmod/device/writer.h"

#define ATTEMPTS 80u /* one for each capture, and some for loads */

enum outcome { DONE, HELD, ABSENT };

/* What the programs miss that run on this CPU, in task context. */
struct absence {
	bool watched;
	bool noted; /* and the following is valid */
	bool text;
	u32 length;
	u64 address;
	u32 bad_count;
	const u64 *bad; /* addresses that are not to be noted */
	const struct sonde_firing *put_off; /* the last one that was */
};

static DEFINE_PER_CPU(struct absence, absence);

/**
 * sonde_note_absent() - user memory could not be read
 * @address: where
 * @length: how much of it
 * @text: it is one, of @length bytes at most
 *
 * Context: Any.
 */
void sonde_note_absent(u64 address, u32 length, bool text)
{
	struct absence *here = this_cpu_ptr(&absence);
	u32 n;

	if (!in_task() || !here->watched || here->noted)
		return;
	for (n = 0; n < here->bad_count; n++)
		if (here->bad[n] == address)
			return;
	here->noted = true;
	here->text = text;
	here->length = length;
	here->address = address;
}

static void slow_watch(const u64 *bad, u32 bad_count)
{
	struct absence *here = this_cpu_ptr(&absence);

	here->noted = false;
	here->bad = bad;
	here->bad_count = bad_count;
	here->watched = true;
}

static bool slow_unwatch(void)
{
	struct absence *here = this_cpu_ptr(&absence);

	here->watched = false;
	return here->noted;
}

/* A firing begins whose programs read user memory. */
void sonde_fire_watch(void)
{
	if (in_task())
		this_cpu_ptr(&absence)->put_off = NULL;
}

/* Whether the firing was put off by one of its ECBs. */
bool sonde_put_off(const struct sonde_firing *firing)
{
	return in_task() && this_cpu_ptr(&absence)->put_off == firing;
}

/* What a program may have stored before it missed something. */
struct kept {
	u64 locals[SONDE_DIF_LOCALS];
	u64 variables[SONDE_DIF_THREAD];
};

static void slow_keep(const struct sonde_firing *firing, u32 needs,
		      struct kept *kept)
{
	if (!(needs & SONDE_NEED_CARE))
		return;
	if (needs & SONDE_NEED_LOCALS)
		memcpy(kept->locals, firing->writer->locals,
		       sizeof(kept->locals));
	if (needs & SONDE_NEED_THREAD)
		memcpy(kept->variables, firing->thread_variables,
		       sizeof(kept->variables));
}

static void slow_take_back(struct sonde_firing *firing, u32 needs,
			   const struct kept *kept)
{
	firing->writer->firings--;
	if (!(needs & SONDE_NEED_CARE))
		return;
	if (needs & SONDE_NEED_LOCALS)
		memcpy(firing->writer->locals, kept->locals,
		       sizeof(kept->locals));
	if (needs & SONDE_NEED_THREAD)
		memcpy(firing->thread_variables, kept->variables,
		       sizeof(kept->variables));
}

static bool slow_has_variables(const struct sonde_firing *firing, u32 needs)
{
	if (!(needs & SONDE_NEED_THREAD) || firing->thread_variables)
		return true;
	sonde_writer_drop(firing->writer, 1); /* no memory for them */
	return false;
}

/* The first ECB that is left. */
static u32 slow_next_ecb(const struct sonde_slow *slow,
			 const struct sonde_ecb_list *ecbs, u32 count)
{
	u32 n = 0;

	while (n < count && ecbs->entries[n].epid <= slow->last_epid)
		n++;
	return n;
}

/* How many ECBs the rest of a firing has. */
static u32 slow_ecbs_left(const struct sonde_slow *slow)
{
	const struct sonde_ecb_list *ecbs =
		rcu_dereference_sched(slow->probe->ecbs);
	u32 count, left = 0, n;

	/* the entries: pairs with sonde_list_add() */
	count = ecbs ? smp_load_acquire(&ecbs->list.count) : 0;
	for (n = slow_next_ecb(slow, ecbs, count); n < count; n++)
		left += !READ_ONCE(ecbs->entries[n].gone);
	return left;
}

static void slow_lose(const struct sonde_slow *slow)
{
	atomic64_add(slow_ecbs_left(slow), &slow->firing.session->lost);
}

/* It, then what was put off behind it. */
static void slow_run_late(struct sonde_work *work, bool over)
{
	struct sonde_slow *first = container_of(work, struct sonde_slow, work);
	struct sonde_slow *slow, *next;
	LIST_HEAD(all);

	list_splice(&first->behind, &all);
	list_add(&first->node, &all);
	list_for_each_entry_safe(slow, next, &all, node) {
		if (!over && !READ_ONCE(work->session->over))
			sonde_fire_slow(slow, NULL);
		if (slow != first)
			sonde_free(slow);
	}
	sonde_free(first);
}

/*
 * A thread's works would run the latest first: so there is one a session. Return:
 * whether it is queued; else @slow is freed, and the caller's to count.
 */
static bool slow_queue_late(struct sonde_session *session,
			    struct sonde_slow *slow)
{
	struct sonde_work *work = sonde_work_take(session, slow_run_late);
	struct sonde_slow *first = slow, *other, *next;

	INIT_LIST_HEAD(&slow->behind);
	slow->work.session = session;
	slow->work.run = slow_run_late;
	if (work) {
		first = container_of(work, struct sonde_slow, work);
		list_add_tail(&slow->node, &first->behind);
	}
	if (!sonde_work_queue(&first->work, session, current))
		return true;
	/* it ends: what was put off before is lost with it */
	list_for_each_entry_safe(other, next, &first->behind, node) {
		if (other != slow)
			slow_lose(other);
		sonde_free(other);
	}
	if (first != slow)
		slow_lose(first);
	sonde_free(first);
	return false;
}

static struct sonde_slow *slow_make_late(struct sonde_firing *firing,
					 struct sonde_probe *probe,
					 u32 last_epid)
{
	struct sonde_slow *slow = sonde_alloc_within(&firing->session->purse,
						     SONDE_MEMORY_LATE,
						     sizeof(*slow), GFP_NOWAIT);

	if (!slow)
		return NULL;
	slow->firing = *firing;
	if (firing->regs) {
		slow->regs = *firing->regs;
		slow->firing.regs = &slow->regs;
	}
	slow->probe = probe;
	slow->last_epid = last_epid;
	return slow;
}

/* Makes a work of the firing, from @ecb on. Return: whether there is one. */
static bool slow_put_off(struct sonde_firing *firing,
			 const struct sonde_ecb_entry *ecb)
{
	struct sonde_session *session = firing->session;
	struct sonde_slow *slow;

	slow = slow_make_late(firing, xa_load(&session->probes, firing->probe),
			      ecb->epid - 1);
	if (!slow)
		return false;
	slow->timed = firing->timestamp;
	memcpy(slow->locals, firing->writer->locals, sizeof(slow->locals));
	if (!slow_queue_late(session, slow))
		return false;
	this_cpu_ptr(&absence)->put_off = firing;
	return true;
}

/**
 * sonde_fire_behind() - fire after what the current thread has put off
 * @firing: as for sonde_fire(); its probe would fire now
 * @probe: that fires
 * @leave: a jump whose operand is absent: it fires only if that leaves its
 *	function; or NULL
 *
 * Context: As sonde_fire().
 */
void sonde_fire_behind(struct sonde_firing *firing, struct sonde_probe *probe,
		       const struct sonde_leave *leave)
{
	struct sonde_slow *slow;

	if (!rcu_access_pointer(probe->ecbs))
		return;
	slow = slow_make_late(firing, probe, 0);
	if (slow && leave)
		slow->leave = *leave;
	if (!slow || !slow_queue_late(firing->session, slow))
		sonde_lose_probe(firing->session, probe);
}

/* An ECB whose program reads user memory. */
void sonde_fire_user(struct sonde_firing *firing,
		     const struct sonde_ecb_entry *ecb)
{
	u32 needs = ecb->program->needs;
	struct kept kept SONDE_UNINITIALIZED;
	bool may_wait = in_task();
	struct sonde_record *record;
	u32 bytes;

	if (!slow_has_variables(firing, needs))
		return;
	if (may_wait) {
		slow_keep(firing, needs, &kept);
		slow_watch(NULL, 0);
	}
	record = sonde_writer_reserve(firing->writer, ecb->program->reserve);
	bytes = sonde_run_ecb(firing, ecb->program, record);
	if (may_wait && unlikely(slow_unwatch())) {
		u64 *variables = firing->thread_variables;
		struct kept after SONDE_UNINITIALIZED;

		slow_keep(firing, needs, &after);
		slow_take_back(firing, needs, &kept);
		if (slow_put_off(firing, ecb))
			return;
		/* it is a fault after all */
		firing->thread_variables = variables;
		slow_take_back(firing, needs, &after);
		firing->writer->firings += 2;
	}
	if (bytes)
		sonde_publish(firing, firing->writer, ecb, record, bytes,
			      sonde_firing_time(firing));
}

static bool slow_is_there(u64 address, u32 length)
{
	u64 last = address + length - 1;
	u64 at;
	u8 byte;

	if (!length || last < address)
		return false;
	for (at = address;; at = min(last, (at | ~PAGE_MASK) + 1)) {
		if (copy_from_user(&byte, (const void __user *)at, 1))
			return false;
		if (at == last)
			return true;
	}
}

static void slow_bring_in(struct sonde_slow *slow, const struct absence *missed)
{
	const char __user *text =
		(const char __user *)(unsigned long)missed->address;
	bool there;

	slow->left--;
	if (missed->text)
		there = strnlen_user(text, missed->length) != 0;
	else
		there = slow_is_there(missed->address, missed->length);
	if (there)
		return;
	if (slow->bad_count == SONDE_BAD_MAX)
		slow->left = 0;
	else
		slow->bad[slow->bad_count++] = missed->address;
}

/* Return: whether it is over already. */
static bool slow_pause(struct sonde_slow *slow, struct sonde_grip *grip,
		       struct sonde_pause *pause)
{
	if (grip)
		return !sonde_grip_pauses(grip, pause);
	sonde_work_pauses(pause, slow->work.session);
	return false;
}

/* Return: whether it is over by now. */
static bool slow_resume(struct sonde_slow *slow, struct sonde_grip *grip,
			struct sonde_pause *pause)
{
	return grip ? sonde_grip_resumes(grip, pause) :
		      sonde_work_resumes(pause, slow->work.session);
}

/* The session's end does not wait for it. Return: whether that has come. */
static bool slow_bring_in_alone(struct sonde_slow *slow,
				const struct absence *missed,
				struct sonde_grip *grip)
{
	struct sonde_pause pause;

	if (slow_pause(slow, grip, &pause))
		return true;
	slow_bring_in(slow, missed);
	return slow_resume(slow, grip, &pause);
}

static int slow_read_operand(void *context, u64 address, u64 *value)
{
	const void __user *from = (const void __user *)(unsigned long)address;
	bool *unknown = context;

	*unknown = copy_from_user(value, from, sizeof(*value));
	return *unknown ? -EFAULT : 0;
}

/* The session's end does not wait for it. Return: whether the firing stands. */
static bool slow_leaves(struct sonde_slow *slow, struct sonde_grip *grip)
{
	struct sonde_leave_state state = {
		.pc = sonde_pc(&slow->regs),
		.flags = sonde_flags_register(&slow->regs),
		.read = slow_read_operand,
	};
	bool unknown = false, leaves;
	struct sonde_pause pause;

	if (slow->leave.how == SONDE_LEAVE_NONE)
		return true;
	state.context = &unknown;
	sonde_leave_fetch(&slow->regs, &state);
	if (slow_pause(slow, grip, &pause))
		return false;
	leaves = sonde_leaves(&slow->leave, &state);
	slow->leave.how = SONDE_LEAVE_NONE; /* it has been judged */
	if (slow_resume(slow, grip, &pause))
		return false;
	if (unknown) /* the jump faults, too, or only the kernel may not read it */
		slow_lose(slow);
	return leaves;
}

static enum outcome slow_run_one(struct sonde_slow *slow,
				 const struct sonde_ecb_entry *ecb,
				 struct sonde_grip *grip)
{
	struct sonde_firing *firing = &slow->firing;
	struct sonde_writer *writer = firing->writer;
	u32 needs = ecb->program->needs;
	struct kept kept SONDE_UNINITIALIZED;
	u64 records = writer->records;
	struct sonde_record *record;
	bool held, missed;
	u32 bytes;

	if (!slow_has_variables(firing, needs))
		return DONE;
	slow_keep(firing, needs, &kept);
	slow_watch(slow->bad, slow->bad_count);
	record = sonde_writer_reserve(writer, ecb->program->reserve);
	bytes = sonde_run_ecb(firing, ecb->program, record);
	missed = slow_unwatch();
	if (missed && slow->left) {
		slow_take_back(firing, needs, &kept);
		return ABSENT;
	}
	if (!bytes)
		return DONE;
	held = grip && ecb->held;
	if (held) {
		/* before the reader can see it, and answer */
		sonde_grip_hold(grip, true);
		record->flags |= SONDE_RECORD_HELD;
	}
	sonde_publish(firing, writer, ecb, record, bytes,
		      sonde_firing_time(firing));
	slow->timed = true;
	if (held && writer->records == records) {
		sonde_grip_hold(grip, false);
		held = false;
	}
	return held ? HELD : DONE;
}

static enum outcome slow_attempt(struct sonde_slow *slow,
				 struct sonde_grip *grip)
{
	struct sonde_firing *firing = &slow->firing;
	const struct sonde_ecb_list *ecbs;
	enum outcome outcome = DONE;
	struct sonde_writer *writer;
	u32 count, n;
	u64 now;

	if (!sonde_covers(firing->session, current)) {
		slow_lose(slow); /* an exec came between, or its end */
		return DONE;
	}
	ecbs = rcu_dereference_sched(slow->probe->ecbs);
	/* before what they need: pairs with sonde_list_add() */
	count = ecbs ? smp_load_acquire(&ecbs->list.count) : 0;
	n = slow_next_ecb(slow, ecbs, count);
	if (n == count)
		return DONE;
	writer = this_cpu_ptr(firing->session->writers);
	if (!sonde_writer_begin(writer)) {
		sonde_writer_refuse(firing->session, writer,
				    slow_ecbs_left(slow));
		return DONE;
	}
	firing->writer = writer;
	firing->probe = slow->probe->id;
	sonde_fire_prepare(firing, READ_ONCE(ecbs->needs));
	memcpy(writer->locals, slow->locals, sizeof(slow->locals));
	now = sonde_writer_time(writer);
	if (!slow->timed)
		firing->timestamp = now;
	for (; n < count && outcome == DONE; n++) {
		if (READ_ONCE(ecbs->entries[n].gone))
			continue;
		outcome = slow_run_one(slow, &ecbs->entries[n], grip);
		if (outcome != ABSENT)
			slow->last_epid = ecbs->entries[n].epid;
	}
	memcpy(slow->locals, writer->locals, sizeof(slow->locals));
	sonde_writer_end(writer, true);
	return outcome;
}

/**
 * sonde_fire_slow() - run the ECBs that are left of a firing
 * @slow: firing, probe, and last_epid, which says where to go on
 * @grip: on the current thread, for ECBs that hold; or NULL
 *
 * Context: The thread that fires. May sleep.
 * Return: whether the thread is held now; the rest runs after its release.
 */
bool sonde_fire_slow(struct sonde_slow *slow, struct sonde_grip *grip)
{
	struct absence missed;
	enum outcome outcome;

	if (!slow_leaves(slow, grip))
		return false;
	slow->left = ATTEMPTS;
	for (;;) {
		preempt_disable_notrace();
		outcome = slow_attempt(slow, grip);
		missed = *this_cpu_ptr(&absence);
		preempt_enable_notrace();
		if (outcome != ABSENT)
			break;
		if (slow_bring_in_alone(slow, &missed, grip))
			return false;
	}
	if (outcome == HELD)
		sonde_event_wake(slow->firing.session);
	return outcome == HELD;
}

/**
 * sonde_run_late() - have what the current thread has put off done now
 *
 * Context: The thread. May sleep: who is not sure asks preemptible(), which
 * kernels that do not count (5.10) always deny, and else leaves it for later.
 */
void sonde_run_late(void)
{
	sonde_works_run(slow_run_late);
}
