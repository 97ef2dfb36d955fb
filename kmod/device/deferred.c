// SPDX-License-Identifier: GPL-2.0
/*
 * Deferred firings: memory that is not present
 *
 * The ECBs of a firing run with preemption off, because a record belongs to one
 * CPU. So a program that needs absent memory cannot wait for it. Its record is
 * not committed, its changes of variables are undone, and the firing is
 * deferred, from this ECB on:
 *
 *   fire --- present: commit, the next ECB
 *       `--- absent: defer --> task work --> run --- present: commit
 *                                             ^     `--- absent: bring in
 *                                             `----------------------'
 *
 * The hooks before a system call run deferred firings at once, so before the
 * call. All others run when the thread is about to return to user mode, which
 * for user taps is before the instruction.
 *
 * For a jump through absent memory, whether it leaves its function, and so
 * fires, is also decided there.
 *
 * A load of absent memory is an exception: it costs as much as a hundred
 * others. So the rest of a run whose result will be thrown away loads nothing
 * more, an address that is known to be bad is not tried again, and a firing
 * tries at most SONDE_FAULTS_MAX of them.
 *
 * If there is no memory at the address, the load faults. The record has the
 * time of the last run, unless an earlier ECB of the firing is already
 * recorded.
 *
 * A deferred firing may sleep, so only deferred firings can be held by ECBs
 * (hold.c).
 */
#include <linux/rcupdate.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/arch.h"
#include "kmod/core/memory.h"
#include "kmod/device/account.h"
#include "kmod/device/buffer.h"
#include "kmod/device/covers.h"
#include "kmod/device/deferred.h"
#include "kmod/device/events.h"
#include "kmod/device/fire.h"
#include "kmod/device/hold.h"
#include "kmod/device/named.h"
#include "kmod/device/session.h"
#include "kmod/device/task_work.h"
#include "kmod/device/writer.h"

#define ATTEMPTS 80u /* one for each capture, and some more for loads */

enum outcome { DONE, HELD, ABSENT };

DEFINE_PER_CPU(struct sonde_absence[2], sonde_absences);

static struct sonde_absence *defer_absence(void)
{
	return this_cpu_ptr(&sonde_absences[!in_task()]);
}

/* Whether the address must not be noted. */
bool sonde_is_bad(const struct sonde_absence *here, u64 address)
{
	u32 n;

	for (n = 0; n < here->bad_count; n++)
		if (here->bad[n] == address)
			return true;
	return false;
}

/* A load of the running program was tried, and has failed. */
void sonde_note_fault(void)
{
	raw_cpu_ptr(&sonde_absences[!in_task()])->faults++;
}

/**
 * sonde_note_absent() - note that user memory could not be read
 * @address: its address
 * @length: its length
 * @text: it is a text, of at most @length bytes
 *
 * Context: Any.
 */
void sonde_note_absent(u64 address, u32 length, bool text)
{
	struct sonde_absence *here = defer_absence();

	if (!here->watched || !here->notes || here->noted || !current->mm ||
	    sonde_is_bad(here, address))
		return; /* without an mm, nothing can be brought in */
	here->noted = true;
	here->text = text;
	here->length = length;
	here->address = address;
}

static void defer_watch(const u64 *bad, u32 bad_count, bool notes)
{
	struct sonde_absence *here = defer_absence();

	here->notes = notes;
	here->noted = false;
	here->bad = bad;
	here->bad_count = bad_count;
	here->watched = true;
}

static bool defer_unwatch(void)
{
	struct sonde_absence *here = defer_absence();

	here->watched = false;
	return here->noted;
}

/* A firing begins whose programs read user memory. */
void sonde_fire_watch(void)
{
	struct sonde_absence *here = defer_absence();

	here->faults = 0;
	here->deferred = NULL;
}

/* Whether one of its ECBs has deferred the firing. */
bool sonde_is_deferred(const struct sonde_firing *firing)
{
	return defer_absence()->deferred == firing;
}

/* Copies of the variables that a program may have changed before it was deferred. */
struct kept {
	u64 locals[SONDE_DIF_LOCALS];
	u64 variables[SONDE_DIF_THREAD];
};

static void defer_keep(const struct sonde_firing *firing, u32 needs,
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

static void defer_take_back(struct sonde_firing *firing, u32 needs,
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

static bool defer_has_variables(const struct sonde_firing *firing, u32 needs)
{
	if (!(needs & SONDE_NEED_THREAD) || firing->thread_variables)
		return true;
	sonde_writer_drop(firing->writer, 1); /* no memory for them */
	return false;
}

/* The index of the first ECB that has not run. */
static u32 defer_next_ecb(const struct sonde_deferred *deferred,
			  const struct sonde_ecb_list *ecbs, u32 count)
{
	u32 n = 0;

	while (n < count && ecbs->entries[n].epid <= deferred->last_epid)
		n++;
	return n;
}

/* The number of ECBs of a firing that have not run. Preemption is off. */
static u32 defer_ecbs_left(const struct sonde_deferred *deferred)
{
	const struct sonde_ecb_list *ecbs =
		rcu_dereference_sched(deferred->probe->ecbs);
	u32 count, left = 0, n;

	/* orders the count before the entries; pairs with entries_append() */
	count = ecbs ? smp_load_acquire(&ecbs->list.count) : 0;
	for (n = defer_next_ecb(deferred, ecbs, count); n < count; n++)
		left += !READ_ONCE(ecbs->entries[n].gone);
	return left;
}

static void defer_lose(const struct sonde_deferred *deferred)
{
	preempt_disable_notrace(); /* keeps the list of ECBs */
	atomic64_add(defer_ecbs_left(deferred),
		     &deferred->firing.session->lost);
	preempt_enable_notrace();
}

/* Runs a deferred firing, then those that were deferred after it. */
static void defer_run_work(struct sonde_task_work *work, bool over)
{
	struct sonde_deferred *first =
		container_of(work, struct sonde_deferred, work);
	struct sonde_deferred *deferred, *next;
	LIST_HEAD(all);

	list_splice(&first->later, &all);
	list_add(&first->node, &all);
	list_for_each_entry_safe(deferred, next, &all, node) {
		if (!over && !READ_ONCE(work->session->over))
			sonde_fire_deferred(deferred, NULL);
		if (deferred != first)
			sonde_free(deferred);
	}
	sonde_free(first);
}

/*
 * The kernel runs the latest task work of a thread first, so there is only one
 * work per session. Return: whether it is queued; if not, @deferred is freed,
 * and the caller counts the loss.
 */
static bool defer_queue(struct sonde_session *session,
			struct sonde_deferred *deferred)
{
	struct sonde_task_work *work =
		sonde_task_work_take(session, defer_run_work);
	struct sonde_deferred *first = deferred, *other, *next;

	INIT_LIST_HEAD(&deferred->later);
	deferred->work.session = session;
	deferred->work.run = defer_run_work;
	if (work) {
		first = container_of(work, struct sonde_deferred, work);
		list_add_tail(&deferred->node, &first->later);
	}
	if (!sonde_task_work_queue(&first->work, session, current))
		return true;
	/* the thread ends: its earlier deferred firings are lost, too */
	list_for_each_entry_safe(other, next, &first->later, node) {
		if (other != deferred)
			defer_lose(other);
		sonde_free(other);
	}
	if (first != deferred)
		defer_lose(first);
	sonde_free(first);
	return false;
}

/**
 * sonde_defer_make() - copy a firing, to run its ECBs later
 * @firing: as for sonde_fire()
 * @probe: the probe
 * @leave: a jump whose operand is absent, which fires only if it leaves its
 *	function; or NULL
 * @gfp: as the context requires
 *
 * Context: Any but NMI.
 * Return: what sonde_free() frees; NULL: no memory.
 */
struct sonde_deferred *sonde_defer_make(const struct sonde_firing *firing,
					struct sonde_probe *probe,
					const struct sonde_leave *leave,
					gfp_t gfp)
{
	struct sonde_deferred *deferred =
		sonde_alloc_within(&firing->session->account->fired, SONDE_MEMORY_LATE,
				   sizeof(*deferred), gfp);

	if (!deferred)
		return NULL;
	deferred->firing = *firing;
	if (firing->regs) {
		deferred->regs = *firing->regs;
		deferred->firing.regs = &deferred->regs;
	}
	if (leave)
		deferred->leave = *leave;
	deferred->probe = probe;
	return deferred;
}

/* Defers the firing, from @ecb on. Return: whether it is deferred. */
static bool defer_firing(struct sonde_firing *firing,
			 const struct sonde_ecb_entry *ecb)
{
	struct sonde_session *session = firing->session;
	struct sonde_deferred *deferred;

	deferred = sonde_defer_make(firing,
				    xa_load(&session->probes, firing->probe),
				    NULL, GFP_NOWAIT);
	if (!deferred)
		return false;
	deferred->last_epid = ecb->epid - 1;
	deferred->timed = firing->timestamp;
	memcpy(deferred->locals, firing->writer->locals,
	       sizeof(deferred->locals));
	if (!defer_queue(session, deferred))
		return false;
	defer_absence()->deferred = firing;
	return true;
}

/**
 * sonde_fire_after() - fire after the deferred firings of the current thread
 * @firing: as for sonde_fire()
 * @probe: the probe
 * @leave: a jump whose operand is absent, which fires only if it leaves its
 *	function; or NULL
 *
 * Context: As sonde_fire().
 */
void sonde_fire_after(struct sonde_firing *firing, struct sonde_probe *probe,
		      const struct sonde_leave *leave)
{
	struct sonde_deferred *deferred;

	if (!rcu_access_pointer(probe->ecbs))
		return;
	deferred = sonde_defer_make(firing, probe, leave, GFP_NOWAIT);
	if (!deferred || !defer_queue(firing->session, deferred))
		sonde_lose_probe(firing->session, probe);
}

/* Runs an ECB whose program reads user memory. */
void sonde_fire_user(struct sonde_firing *firing,
		     const struct sonde_ecb_entry *ecb)
{
	u32 needs = ecb->program->needs;
	struct kept kept SONDE_UNINITIALIZED;
	bool may_wait = in_task() && !this_cpu_read(sonde_under_locks);
	struct sonde_record *record;
	u32 bytes;

	if (!defer_has_variables(firing, needs))
		return;
	if (may_wait)
		defer_keep(firing, needs, &kept);
	defer_watch(NULL, 0, may_wait);
	firing->stack_bytes = ecb->program->stack_bytes;
	record = sonde_writer_reserve(firing->writer, ecb->program->reserve);
	bytes = sonde_run_ecb(firing, ecb->program, record);
	if (unlikely(defer_unwatch())) {
		defer_take_back(firing, needs, &kept);
		if (!defer_firing(firing, ecb))
			sonde_writer_drop(firing->writer, 1); /* no memory */
		return;
	}
	if (!bytes)
		return;
	sonde_publish(firing, firing->writer, ecb, record, bytes,
		      sonde_firing_time(firing));
	/* such a program sets `lacks` */
	if (firing->stack_bytes && (firing->lacks & SONDE_RECORD_STACKS_COPIED))
		sonde_writer_urge(firing->writer);
}

static bool defer_is_there(u64 address, u32 length)
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

static void defer_bring_in(struct sonde_deferred *deferred,
			   const struct sonde_absence *missed)
{
	const char __user *text =
		(const char __user *)(unsigned long)missed->address;
	bool there;

	deferred->left--;
	if (missed->text)
		there = strnlen_user(text, missed->length) != 0;
	else
		there = defer_is_there(missed->address, missed->length);
	if (there)
		return;
	if (deferred->bad_count == SONDE_BAD_MAX)
		deferred->left = 0;
	else
		deferred->bad[deferred->bad_count++] = missed->address;
}

/* Return: whether the session is already over, or the thread released. */
static bool defer_pause(struct sonde_deferred *deferred,
			struct sonde_tracee *tracee, struct sonde_pause *pause)
{
	if (tracee)
		return !sonde_tracee_pauses(tracee, pause);
	sonde_task_work_pauses(pause, deferred->work.session);
	return false;
}

/* Return: whether the session is over by now, or the thread released. */
static bool defer_resume(struct sonde_deferred *deferred,
			 struct sonde_tracee *tracee, struct sonde_pause *pause)
{
	return tracee ? sonde_tracee_resumes(tracee, pause) :
			sonde_task_work_resumes(pause, deferred->work.session);
}

/*
 * Reads memory in; the end of the session does not wait for it. Return: whether
 * the session is over.
 */
static bool defer_bring_in_alone(struct sonde_deferred *deferred,
				 const struct sonde_absence *missed,
				 struct sonde_tracee *tracee)
{
	struct sonde_pause pause;

	if (defer_pause(deferred, tracee, &pause))
		return true;
	defer_bring_in(deferred, missed);
	return defer_resume(deferred, tracee, &pause);
}

static int defer_read_operand(void *context, u64 address, u64 *value)
{
	const void __user *from = (const void __user *)(unsigned long)address;
	bool *unknown = context;

	*unknown = copy_from_user(value, from, sizeof(*value));
	return *unknown ? -EFAULT : 0;
}

/* Judges a jump; the end of the session does not wait for it. Return: whether it fires. */
static bool defer_leaves(struct sonde_deferred *deferred,
			 struct sonde_tracee *tracee)
{
	struct sonde_leave_state state = {
		.pc = sonde_pc(&deferred->regs),
		.flags = sonde_flags_register(&deferred->regs),
		.read = defer_read_operand,
	};
	bool unknown = false, leaves;
	struct sonde_pause pause;

	if (deferred->leave.how == SONDE_LEAVE_NONE)
		return true;
	state.context = &unknown;
	sonde_leave_fetch(&deferred->regs, &state);
	if (defer_pause(deferred, tracee, &pause))
		return false;
	leaves = sonde_leaves(&deferred->leave, &state);
	deferred->leave.how = SONDE_LEAVE_NONE; /* it has been judged */
	if (defer_resume(deferred, tracee, &pause))
		return false;
	if (unknown) /* the jump itself faults, too, unless only the kernel may not read it */
		defer_lose(deferred);
	return leaves;
}

static enum outcome defer_run_one(struct sonde_deferred *deferred,
				  const struct sonde_ecb_entry *ecb,
				  struct sonde_tracee *tracee)
{
	struct sonde_firing *firing = &deferred->firing;
	struct sonde_writer *writer = firing->writer;
	u32 needs = ecb->program->needs;
	struct kept kept SONDE_UNINITIALIZED;
	u64 records = writer->records;
	struct sonde_record *record;
	bool held, missed;
	u32 bytes;

	if (!defer_has_variables(firing, needs))
		return DONE;
	defer_keep(firing, needs, &kept);
	defer_watch(deferred->bad, deferred->bad_count, deferred->left);
	firing->stack_bytes = 0; /* here it can be walked */
	record = sonde_writer_reserve(writer, ecb->program->reserve);
	bytes = sonde_run_ecb(firing, ecb->program, record);
	missed = defer_unwatch();
	if (missed) {
		defer_take_back(firing, needs, &kept);
		return ABSENT;
	}
	if (!bytes)
		return DONE;
	held = tracee && ecb->held;
	if (held) {
		/* before the reader can see the record and answer it */
		sonde_tracee_hold(tracee, true);
		record->flags |= SONDE_RECORD_HELD;
	}
	sonde_publish(firing, writer, ecb, record, bytes,
		      sonde_firing_time(firing));
	deferred->timed = true;
	if (held && writer->records == records) {
		sonde_tracee_hold(tracee, false);
		held = false;
	}
	return held ? HELD : DONE;
}

static enum outcome defer_attempt(struct sonde_deferred *deferred,
				  struct sonde_tracee *tracee)
{
	struct sonde_firing *firing = &deferred->firing;
	const struct sonde_ecb_list *ecbs;
	enum outcome outcome = DONE;
	struct sonde_writer *writer;
	u32 count, n;
	u64 now;

	if (!sonde_covers(firing->session, current)) {
		defer_lose(deferred); /* an exec came between, or the session's end */
		return DONE;
	}
	ecbs = rcu_dereference_sched(deferred->probe->ecbs);
	/* orders the count before the needs; pairs with entries_append() */
	count = ecbs ? smp_load_acquire(&ecbs->list.count) : 0;
	n = defer_next_ecb(deferred, ecbs, count);
	if (n == count)
		return DONE;
	writer = this_cpu_ptr(firing->session->writers);
	if (!sonde_writer_begin(writer)) {
		sonde_writer_refuse(firing->session, writer,
				    defer_ecbs_left(deferred));
		return DONE;
	}
	firing->writer = writer;
	firing->probe = deferred->probe->id;
	sonde_fire_prepare(firing, READ_ONCE(ecbs->needs));
	memcpy(writer->locals, deferred->locals, sizeof(deferred->locals));
	now = sonde_writer_time(writer);
	if (!deferred->timed)
		firing->timestamp = now;
	for (; n < count && outcome == DONE; n++) {
		if (READ_ONCE(ecbs->entries[n].gone))
			continue;
		outcome = defer_run_one(deferred, &ecbs->entries[n], tracee);
		if (outcome != ABSENT)
			deferred->last_epid = ecbs->entries[n].epid;
	}
	memcpy(deferred->locals, writer->locals, sizeof(deferred->locals));
	sonde_writer_end(writer, true);
	return outcome;
}

/**
 * sonde_fire_deferred() - run the remaining ECBs of a firing
 * @deferred: firing, probe, and last_epid, after which to continue
 * @tracee: the current thread, for ECBs that hold; or NULL
 *
 * Context: The thread that fires. May sleep.
 * Return: whether the thread is now held; the remaining ECBs run after its
 * release.
 */
bool sonde_fire_deferred(struct sonde_deferred *deferred,
			 struct sonde_tracee *tracee)
{
	struct sonde_absence missed;
	enum outcome outcome;

	if (!defer_leaves(deferred, tracee))
		return false;
	deferred->left = ATTEMPTS;
	for (;;) {
		preempt_disable_notrace();
		outcome = defer_attempt(deferred, tracee);
		missed = *defer_absence();
		preempt_enable_notrace();
		if (outcome != ABSENT)
			break;
		if (defer_bring_in_alone(deferred, &missed, tracee))
			return false;
		cond_resched();
	}
	if (outcome == HELD)
		sonde_event_wake(deferred->firing.session);
	return outcome == HELD;
}

/**
 * sonde_run_deferred() - run the deferred firings of the current thread now
 *
 * Context: The thread. May sleep. A caller that may be in atomic context calls
 * it only if preemptible(), which is always false in kernels without a
 * preemption count (5.10); otherwise the firings run later.
 */
void sonde_run_deferred(void)
{
	sonde_task_work_run(defer_run_work);
}
