// SPDX-License-Identifier: GPL-2.0
/*
 * Programs and ECBs of a session
 *
 * A program is copied before it is verified, so that user space cannot change
 * it afterwards; it lives as long as the session. The ECBs of a probe are a
 * list (list.h) in the order of their epids.
 *
 * One firing runs all programs of a probe with preemption off. So each program
 * has a cost, computed from its instructions, and their sum is limited. A unit
 * is some 25 instructions of the processor at most: one of DIF, interpreted.
 * That holds for each row below, because a run loads absent memory once: the
 * first such load makes it worthless, and the later ones are not tried
 * (sonde_may_read()).
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/mm.h>

#include "kmod/core/memory.h"
#include "kmod/device/account.h"
#include "kmod/device/buffer.h"
#include "kmod/device/fire.h"
#include "kmod/device/jit.h"
#include "kmod/device/kernel.h"
#include "kmod/device/list.h"
#include "kmod/device/mappings.h"
#include "kmod/device/programs.h"
#include "kmod/device/session.h"
#include "kmod/device/spares.h"
#include "kmod/device/taps.h"
#include "kmod/shared/copied_stack.h"

#define ECBS_MAX 4096u /* of a probe */
#define COST_RUN 16u /* of a program without instructions, which makes a record */
#define COST_ABSENT 64u /* of a load of absent memory: an exception */
#define COST_COPY (COST_ABSENT + 32 + SONDE_STACK_BYTES / 16) /* of a stack */
#define STACKS_MOST (4 * SONDE_STACK_BYTES) /* that a record has copied */

/* The maximal cost of one instruction; the depth of the stack is added separately. */
static u32 program_cost_of(const struct sonde_dif_insn *insn)
{
	switch (insn->op) {
	case SONDE_DIF_LDU:
	case SONDE_DIF_LDS:
		return 8;
	case SONDE_DIF_LDK: /* each of them is tried */
		return COST_ABSENT;
	case SONDE_DIF_CAPSTR:
	case SONDE_DIF_CAPSTRN:
	case SONDE_DIF_CAPMEM:
		return 16 + insn->i / 16;
	case SONDE_DIF_CAPKSTR:
	case SONDE_DIF_CAPKMEM:
		return COST_ABSENT + insn->i / 16;
	case SONDE_DIF_CAPTEXT: /* may be a path */
		return 256;
	case SONDE_DIF_PROGENY:
		return SONDE_DIF_ANCESTORS;
	case SONDE_DIF_CAPSTACK: /* walked or copied */
		return max(SONDE_WALK_COST(insn->i), COST_COPY);
	case SONDE_DIF_CAPKSTACK:
		return 16 * insn->i;
	case SONDE_DIF_VAR:
		return insn->i == SONDE_DIF_VAR_UCALLER ? SONDE_WALK_COST(2) : 8;
	}
	return 1;
}

/* The maximal cost of a run. */
static u32 program_cost_of_all(const struct sonde_dif_program *view, u32 needs)
{
	const struct sonde_dif_insn *insn = view->insns;
	u32 cost = COST_RUN, n;
	bool depth = false;

	if (needs & SONDE_NEED_USER)
		cost += COST_ABSENT;

	for (n = 0; n < view->length; n++, insn++) {
		cost += program_cost_of(insn);
		depth |= insn->op == SONDE_DIF_VAR &&
			 insn->i == SONDE_DIF_VAR_USTACKDEPTH;
	}
	/* the stack is walked only once */
	return depth ? cost + SONDE_WALK_COST(SONDE_DIF_MAX_FRAMES) : cost;
}

static u32 program_count_stacks(const struct sonde_dif_program *view)
{
	u32 count = 0, n;

	for (n = 0; n < view->length; n++)
		count += view->insns[n].op == SONDE_DIF_CAPSTACK;
	return count;
}

/*
 * Makes room for copies of user stacks, if the session can have taps whose
 * firings can only copy them (sonde_capture_stack()).
 */
static void program_reserve(const struct sonde_session *session,
			    struct sonde_program *program)
{
	u32 stacks = session->perfmon ? program_count_stacks(&program->view) : 0;
	u32 room = program->view.record_max;

	BUILD_BUG_ON(sizeof(struct sonde_copied_stack) % 8);
	if (stacks) {
		program->stack_bytes = round_down(
			min(SONDE_STACK_BYTES, STACKS_MOST / stacks), 8);
		room += stacks * (sizeof(struct sonde_copied_stack) +
				  program->stack_bytes);
	}
	if (room > SONDE_RECORD_MAX) { /* they are walked by frame pointers */
		program->stack_bytes = 0;
		room = program->view.record_max;
	}
	program->reserve = ALIGN(room, 8);
}

static int program_check_texts(u32 texts, char *why)
{
	if (texts & BIT(SONDE_DIF_TEXT_SYSCALL_ARGS))
		return sonde_refuse(why, -EOPNOTSUPP,
				    "the kernel module cannot capture a system call's arguments as one text");
	if (texts & (BIT(SONDE_DIF_TEXT_STRINGS) | BIT(SONDE_DIF_TEXT_POINTERS)))
		return sonde_refuse(why, -EOPNOTSUPP,
				    "the kernel module cannot capture arrays of texts");
	return 0;
}

static int program_check_sizes(const struct sonde_program_payload *head,
			       u64 length, char *why)
{
	u64 bytes = sizeof(*head);

	if (head->length == 0 || head->length > SONDE_DIF_MAX_LENGTH ||
	    head->slots > SONDE_MAX_SLOTS ||
	    head->pool_size > SONDE_DIF_MAX_POOL || head->reserved)
		return sonde_refuse(why, -EINVAL,
				    "malformed request: program length, slots, pool or reserved");
	bytes += head->length * sizeof(struct sonde_dif_insn);
	bytes += head->slots;
	bytes += head->pool_size;
	if (bytes == length)
		return 0;
	return sonde_refuse(why, -EINVAL, "malformed request: program size");
}

static struct sonde_program *
program_make_program(struct sonde_purse *purse,
		     const struct sonde_program_payload *head, u64 bytes)
{
	struct sonde_program *program;
	u32 insns = head->length * sizeof(struct sonde_dif_insn);

	program = sonde_alloc_within(purse, SONDE_MEMORY_PROGRAMS,
				     struct_size(program, bytes, bytes),
				     GFP_KERNEL);
	if (!program)
		return NULL;
	memcpy(program->bytes, head + 1, bytes);
	program->view.insns = (void *)program->bytes;
	program->view.length = head->length;
	program->view.slots = head->slots;
	program->view.kinds = program->bytes + insns;
	program->view.pool = program->bytes + insns + head->slots;
	program->view.pool_size = head->pool_size;
	return program;
}

/**
 * sonde_program_load() - load a program, after verifying it
 * @session: its lock is held
 * @id: its id
 * @bytes: sonde_program_payload, then instructions, kinds, pool
 * @length: of @bytes
 * @why: the message for the user on failure
 *
 * Context: Process context. May sleep.
 * Return: 0; -EINVAL: malformed, or refused by the verifier; -EEXIST: the id is
 * in use; -EPERM: it reads the kernel, and the session may not; -EOPNOTSUPP;
 * -ENOMEM.
 */
int sonde_program_load(struct sonde_session *session, u32 id, const void *bytes,
		       u64 length, char *why)
{
	const struct sonde_program_payload *head = bytes;
	struct sonde_program *program;
	struct sonde_needs needs;
	int err;

	lockdep_assert_held(&session->lock);
	if (length < sizeof(*head))
		return sonde_refuse(why, -EINVAL,
				    "malformed request: program too short");
	err = program_check_sizes(head, length, why);
	if (err)
		return err;
	if (xa_load(&session->programs, id))
		return sonde_refuse(why, -EEXIST, "program %u is there already",
				    id);
	length -= sizeof(*head);
	program = program_make_program(&session->account->requested, head,
				       length);
	if (!program)
		return -ENOMEM;
	err = sonde_dif_verify(&program->view, why, SONDE_WHY);
	if (err)
		goto out_free;
	needs = sonde_dif_needs(&program->view);
	err = program_check_texts(needs.texts, why);
	if (!err && needs.kernel)
		err = sonde_kernel_check(session, why);
	if (err)
		goto out_free;
	program_reserve(session, program);
	err = sonde_buffers_scratch(session, program->reserve);
	if (err)
		goto out_free;
	program->needs = needs.ready;
	program->cost = program_cost_of_all(&program->view, needs.ready);
	if (needs.frames) /* stacks are printed when their processes have ended */
		sonde_mappings_keep(session);
	program->empty = program->view.length == 1 && !program->view.slots &&
			 program->view.insns[0].op == SONDE_DIF_RECORD;
	if (!program->empty && session->perfmon)
		sonde_jit_compile(program);
	err = xa_err(xa_store(&session->programs, id, program,
			      GFP_KERNEL_ACCOUNT));
	if (err)
		goto out_free;
	return 0;

out_free:
	sonde_jit_free(program);
	sonde_free(program);
	return err;
}

static struct sonde_ecb_list *program_ecbs_of(struct sonde_session *session,
					      struct sonde_probe *probe)
{
	return rcu_dereference_protected(probe->ecbs,
					 lockdep_is_held(&session->lock));
}

static bool program_comes_before(const void *entry, const void *other)
{
	const struct sonde_ecb_entry *one = entry, *next = other;

	return one->epid < next->epid;
}

static void program_note_needs(struct sonde_list *list, const void *entry)
{
	struct sonde_ecb_list *ecbs =
		container_of(list, struct sonde_ecb_list, list);
	const struct sonde_ecb_entry *one = entry;
	u32 needs = ecbs->needs | one->program->needs;

	WRITE_ONCE(ecbs->needs, list->count ? needs | SONDE_NEED_EACH : needs);
}

static const struct sonde_list_kind ecb_lists = {
	.memory = SONDE_MEMORY_ECBS,
	.head = offsetof(struct sonde_ecb_list, entries),
	.size = sizeof(struct sonde_ecb_entry),
	.gone = offsetof(struct sonde_ecb_entry, gone),
	.before = program_comes_before,
	.note = program_note_needs,
};

static struct sonde_list __rcu **program_ecbs_place(struct sonde_probe *probe)
{
	BUILD_BUG_ON(offsetof(struct sonde_ecb_list, list));
	return (struct sonde_list __rcu **)&probe->ecbs;
}

static int program_add_one(struct sonde_session *session,
			   const struct sonde_ecb *ecb)
{
	struct sonde_probe *probe = sonde_probe_get(session, ecb->probe);
	struct sonde_ecb_entry entry = {
		.epid = ecb->epid,
		.probe = ecb->probe,
		.held = ecb->flags & SONDE_ECB_HELD,
		.program = xa_load(&session->programs, ecb->program),
	};
	int err;

	if (!probe)
		return -ENOMEM;
	err = xa_err(xa_store(&session->ecbs, ecb->epid, probe,
			      GFP_KERNEL_ACCOUNT));
	if (err)
		return err;
	err = sonde_list_add(&ecb_lists, program_ecbs_place(probe), &entry,
			     &session->account->requested);
	if (err)
		xa_erase(&session->ecbs, ecb->epid);
	else
		probe->cost += entry.program->cost;
	return err;
}

static struct sonde_ecb_entry *program_find_entry(struct sonde_ecb_list *ecbs,
						  u32 epid)
{
	u32 n;

	for (n = 0; ecbs && n < ecbs->list.count; n++)
		if (ecbs->entries[n].epid == epid && !ecbs->entries[n].gone)
			return &ecbs->entries[n];
	return NULL;
}

static int program_remove_one(struct sonde_session *session, u32 epid)
{
	struct sonde_probe *probe = xa_erase(&session->ecbs, epid);
	struct sonde_ecb_entry *entry;

	if (!probe)
		return -ENOENT;
	entry = program_find_entry(program_ecbs_of(session, probe), epid);
	if (WARN_ON_ONCE(!entry))
		return -ENOENT;
	probe->held -= entry->held;
	probe->cost -= entry->program->cost;
	sonde_list_remove(&ecb_lists, program_ecbs_place(probe), entry);
	return 0;
}

/**
 * sonde_cost_check() - check that a firing of a probe stays within the maximal
 * cost
 * @session: any
 * @probe: its id
 * @cost: of its programs
 * @urgent: it fires with interrupts off
 * @why: the message for the user if not
 *
 * Context: Any.
 * Return: 0 or -E2BIG.
 */
int sonde_cost_check(const struct sonde_session *session, u32 probe, u64 cost,
		     bool urgent, char *why)
{
	u32 most = sonde_cost_max(session, urgent);

	if (cost <= most)
		return 0;
	return sonde_refuse(why, -E2BIG,
			    "probe %u: one firing would take more than %u instructions%s: fewer or shorter clauses, or fewer frames of stacks",
			    probe, most, urgent ? ", with interrupts off" : "");
}

static int program_check_cost(struct sonde_session *session,
			      const struct sonde_ecb *ecb, char *why)
{
	const struct sonde_program *program =
		xa_load(&session->programs, ecb->program);
	struct sonde_probe *probe = xa_load(&session->probes, ecb->probe);
	const struct sonde_ecb_list *ecbs;
	int err = sonde_cost_check(session, ecb->probe,
				   program->cost + (probe ? probe->cost : 0),
				   probe && probe->urgent, why);

	if (err)
		return err;
	ecbs = probe ? program_ecbs_of(session, probe) : NULL;
	if (ecbs && ecbs->list.live == ECBS_MAX)
		return sonde_refuse(why, -E2BIG, "probe %u: at most %u clauses",
				    ecb->probe, ECBS_MAX);
	return 0;
}

static int program_check_ecb(struct sonde_session *session,
			     const struct sonde_ecb *ecb, char *why)
{
	if ((ecb->flags & ~SONDE_ECB_HELD) || !ecb->epid || !ecb->probe)
		return sonde_refuse(why, -EINVAL, "malformed request: ECB");
	if (!xa_load(&session->programs, ecb->program))
		return sonde_refuse(why, -ENOENT, "no program %u is loaded",
				    ecb->program);
	if (xa_load(&session->ecbs, ecb->epid))
		return sonde_refuse(why, -EEXIST, "ECB %u is there already",
				    ecb->epid);
	return program_check_cost(session, ecb, why);
}

static int program_by_epid(const void *a, const void *b)
{
	const struct sonde_ecb *one = a, *other = b;

	return one->epid < other->epid ? -1 : one->epid > other->epid;
}

/*
 * Counts ECBs that hold, in their probes. Return: their number; -ENOMEM: nothing
 * has changed.
 */
static int program_count_held(struct sonde_session *session,
			      const struct sonde_ecb *ecbs, u64 count, s32 by)
{
	int held = 0;
	u64 n;

	for (n = 0; n < count; n++) {
		struct sonde_probe *probe;

		cond_resched();
		if (!(ecbs[n].flags & SONDE_ECB_HELD))
			continue;
		probe = sonde_probe_get(session, ecbs[n].probe);
		if (!probe) {
			program_count_held(session, ecbs, n, -by);
			return -ENOMEM;
		}
		probe->held += by;
		held++;
	}
	return held;
}

/* Undoes program_hold() for the first @count ECBs. */
static void program_unhold(struct sonde_session *session,
			   const struct sonde_ecb *ecbs, u64 count)
{
	char why[SONDE_WHY];

	if (program_count_held(session, ecbs, count, -1) > 0)
		sonde_taps_rehold(session, why);
}

/* Moves the taps of probes that will have ECBs that hold to engines. */
static int program_hold(struct sonde_session *session,
			const struct sonde_ecb *ecbs, u64 count, char *why)
{
	int err = program_count_held(session, ecbs, count, 1);

	if (err <= 0)
		return err;
	err = sonde_taps_rehold(session, why);
	if (err)
		program_unhold(session, ecbs, count);
	return err;
}

/**
 * sonde_ecbs_add() - add ECBs to probes: all or none
 * @session: its lock is held; it has buffers
 * @bytes: an array of sonde_ecb; sorted by epid afterwards
 * @length: of @bytes, which sonde_request_fault() has checked
 * @why: the message for the user on failure
 *
 * Context: Process context. May sleep.
 * Return: 0; -EINVAL; -ENOENT: no such program; -EEXIST; -EOPNOTSUPP: an ECB
 * holds where threads cannot be held; -E2BIG: too many, or too costly; -ENOMEM.
 */
int sonde_ecbs_add(struct sonde_session *session, void *bytes, u64 length,
		   char *why)
{
	struct sonde_ecb *ecbs = bytes;
	u64 count = length / sizeof(*ecbs), n;
	char unused[SONDE_WHY];
	int err = 0;

	lockdep_assert_held(&session->lock);
	if (!session->writers)
		return sonde_refuse(why, -EINVAL, "there are no buffers yet");
	sort(ecbs, count, sizeof(*ecbs), program_by_epid, NULL);
	for (n = 0; n < count && !err; n++) {
		err = program_check_ecb(session, &ecbs[n], why);
		cond_resched();
	}
	if (!err)
		err = program_hold(session, ecbs, count, why);
	if (err)
		return err;
	sonde_spares_fill(session);
	for (n = 0; n < count && !err; n++) {
		err = program_check_ecb(session, &ecbs[n],
					why); /* an epid may occur twice in the array */
		if (!err)
			err = program_add_one(session, &ecbs[n]);
		cond_resched();
	}
	if (!err)
		return 0;
	program_unhold(session, &ecbs[n - 1], count - n + 1);
	for (n--; n--; cond_resched())
		program_remove_one(session, ecbs[n].epid);
	sonde_taps_rehold(session, unused);
	synchronize_rcu();
	return err;
}

/**
 * sonde_ecbs_remove() - remove ECBs from their probes
 * @session: its lock is held
 * @bytes: an array of epids
 * @length: of @bytes, which sonde_request_fault() has checked
 * @why: the message for the user on failure
 *
 * On return none of them runs any more. Existing ones are removed even if
 * others do not exist.
 *
 * Context: Process context. May sleep.
 * Return: 0; -ENOENT: an ECB does not exist.
 */
int sonde_ecbs_remove(struct sonde_session *session, const void *bytes,
		      u64 length, char *why)
{
	const u32 *epids = bytes;
	int err = 0;
	u64 n;

	lockdep_assert_held(&session->lock);
	for (n = 0; n < length / sizeof(*epids); n++) {
		if (program_remove_one(session, epids[n]))
			err = -ENOENT;
		cond_resched();
	}
	sonde_taps_rehold(session, why);
	synchronize_rcu();
	if (err)
		scnprintf(why, SONDE_WHY, "no such ECB");
	return err;
}

/**
 * sonde_programs_destroy() - free programs, probes and ECBs
 * @session: it does not fire any more
 *
 * Context: Process context. May sleep.
 */
void sonde_programs_destroy(struct sonde_session *session)
{
	struct sonde_program *program;
	struct sonde_probe *probe;
	unsigned long id;

	might_sleep();
	xa_for_each(&session->probes, id, probe) {
		sonde_free(rcu_dereference_protected(probe->ecbs, true));
		sonde_free(probe);
		cond_resched();
	}
	xa_for_each(&session->programs, id, program) {
		sonde_jit_free(program);
		sonde_free(program);
		cond_resched();
	}
	xa_destroy(&session->probes);
	xa_destroy(&session->programs);
	xa_destroy(&session->ecbs);
}
