// SPDX-License-Identifier: GPL-2.0
/*
 * Programs and ECBs of a session
 *
 * A program is verified in a copy of our own, which nobody changes any more; it
 * lives as long as the session. A probe's ECBs are one array, in the order of
 * their epids, replaced whole: a firing sees the old list or the new one.
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/mm.h>

#include "kmod/device/session.h"

#define PROGRAM_BYTES_MAX (64ull << 20) /* of all programs of a session */

static void note_use(struct sonde_program *program,
		     const struct sonde_dif_insn *insn)
{
	switch (insn->op) {
	case SONDE_DIF_STL:
		program->needs |= SONDE_NEED_CARE;
		fallthrough;
	case SONDE_DIF_LDL:
		program->needs |= SONDE_NEED_LOCALS;
		break;
	case SONDE_DIF_STT:
		program->needs |= SONDE_NEED_CARE;
		fallthrough;
	case SONDE_DIF_LDT:
		program->needs |= SONDE_NEED_THREAD;
		break;
	case SONDE_DIF_LDU:
	case SONDE_DIF_LDS:
	case SONDE_DIF_CAPSTR:
	case SONDE_DIF_CAPSTRN:
	case SONDE_DIF_CAPMEM:
	case SONDE_DIF_CAPSTACK:
		program->needs |= SONDE_NEED_USER;
		break;
	case SONDE_DIF_VAR:
		if (insn->i == SONDE_DIF_VAR_UCALLER ||
		    insn->i == SONDE_DIF_VAR_USTACKDEPTH)
			program->needs |= SONDE_NEED_USER;
		if (insn->i == SONDE_DIF_VAR_TIMESTAMP)
			program->needs |= SONDE_NEED_TIME;
		break;
	case SONDE_DIF_CAPTEXT:
		if (insn->i == SONDE_DIF_TEXT_PSARGS ||
		    insn->i == SONDE_DIF_TEXT_PROBE_TEXT)
			program->needs |= SONDE_NEED_USER;
		break;
	case SONDE_DIF_ARG:
		program->needs |= SONDE_NEED_ARGS;
		if (insn->i >= 6)
			program->needs |= SONDE_NEED_STACK_ARGS;
		break;
	}
}

/* Stacks are printed when their processes have ended. */
static bool wants_symbols(const struct sonde_program *program)
{
	const struct sonde_dif_insn *insn = program->view.insns;
	u32 n;

	for (n = 0; n < program->view.length; n++, insn++)
		if (insn->op == SONDE_DIF_CAPSTACK ||
		    (insn->op == SONDE_DIF_VAR &&
		     insn->i == SONDE_DIF_VAR_UCALLER))
			return true;
	return false;
}

static int check_texts(const struct sonde_program *program, char *why)
{
	const struct sonde_dif_insn *insn = program->view.insns;
	u32 n;

	for (n = 0; n < program->view.length; n++, insn++) {
		if (insn->op != SONDE_DIF_CAPTEXT ||
		    insn->i != SONDE_DIF_TEXT_SYSCALL_ARGS)
			continue;
		scnprintf(why, SONDE_WHY,
			  "the kmod source cannot capture a system call's arguments as one text");
		return -EOPNOTSUPP;
	}
	return 0;
}

static int check_sizes(const struct sonde_program_payload *head, u64 length,
		       char *why)
{
	u64 bytes = sizeof(*head);

	if (head->length == 0 || head->length > SONDE_DIF_MAX_LENGTH ||
	    head->slots > SONDE_MAX_SLOTS ||
	    head->pool_size > SONDE_DIF_MAX_POOL) {
		scnprintf(why, SONDE_WHY, "malformed request: program length, slots or pool");
		return -EINVAL;
	}
	bytes += head->length * sizeof(struct sonde_dif_insn);
	bytes += head->slots;
	bytes += head->pool_size;
	if (bytes == length)
		return 0;
	scnprintf(why, SONDE_WHY, "malformed request: program size");
	return -EINVAL;
}

static struct sonde_program *
make_program(const struct sonde_program_payload *head, u64 bytes)
{
	struct sonde_program *program;
	u32 insns = head->length * sizeof(struct sonde_dif_insn);

	program = kvzalloc(struct_size(program, bytes, bytes),
			   GFP_KERNEL_ACCOUNT);
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
 * sonde_program_load() - verify a program and keep it
 * @session: its lock is held
 * @id: the program's
 * @bytes: sonde_program_payload, then instructions, kinds, pool
 * @length: of @bytes
 * @why: what to tell the user on failure
 *
 * Context: Process context. May sleep.
 * Return: 0, -EINVAL malformed or refused by the verifier, -EEXIST the id is
 * taken, -EPERM it sees the kernel and the session may not, -EOPNOTSUPP,
 * -ENOMEM.
 */
int sonde_program_load(struct sonde_session *session, u32 id, const void *bytes,
		       u64 length, char *why)
{
	const struct sonde_program_payload *head = bytes;
	struct sonde_program *program;
	int err, n;

	if (length < sizeof(*head)) {
		scnprintf(why, SONDE_WHY, "malformed request: program too short");
		return -EINVAL;
	}
	err = check_sizes(head, length, why);
	if (err)
		return err;
	if (xa_load(&session->programs, id)) {
		scnprintf(why, SONDE_WHY, "program %u is there already", id);
		return -EEXIST;
	}
	length -= sizeof(*head);
	program = make_program(head, length);
	if (!program || session->program_bytes + length > PROGRAM_BYTES_MAX) {
		err = -ENOMEM;
		goto out_free;
	}
	err = sonde_dif_verify(&program->view, why, SONDE_WHY);
	if (!err)
		err = check_texts(program, why);
	if (!err && sonde_dif_sees_kernel(&program->view))
		err = sonde_kernel_check(session, why);
	if (!err)
		err = sonde_buffers_scratch(session, program->view.record_max);
	if (err)
		goto out_free;
	for (n = 0; n < program->view.length; n++)
		note_use(program, &program->view.insns[n]);
	if (wants_symbols(program))
		sonde_mappings_follow(session);
	program->reserve = ALIGN(program->view.record_max, 8);
	program->empty = program->view.length == 1 && !program->view.slots &&
			 program->view.insns[0].op == SONDE_DIF_RECORD;
	if (!program->empty)
		sonde_jit_compile(program);
	err = xa_err(xa_store(&session->programs, id, program,
			      GFP_KERNEL_ACCOUNT));
	if (err)
		goto out_free;
	session->program_bytes += length;
	return 0;

out_free:
	if (program)
		sonde_jit_free(program);
	kvfree(program);
	return err;
}

/**
 * sonde_probe_get() - the probe of this id
 * @session: its lock is held
 * @id: any
 *
 * Context: Process context. May sleep.
 * Return: the probe, made at need; NULL: no memory.
 */
struct sonde_probe *sonde_probe_get(struct sonde_session *session, u32 id)
{
	struct sonde_probe *probe = xa_load(&session->probes, id);

	if (probe)
		return probe;
	probe = kzalloc(sizeof(*probe), GFP_KERNEL_ACCOUNT);
	if (!probe)
		return NULL;
	probe->id = id;
	if (xa_err(xa_store(&session->probes, id, probe, GFP_KERNEL_ACCOUNT))) {
		kfree(probe);
		return NULL;
	}
	return probe;
}

static struct sonde_ecb_list *ecbs_of(struct sonde_session *session,
				      struct sonde_probe *probe)
{
	return rcu_dereference_protected(probe->ecbs,
					 lockdep_is_held(&session->lock));
}

static void replace(struct sonde_session *session, struct sonde_probe *probe,
		    struct sonde_ecb_list *fresh)
{
	struct sonde_ecb_list *old = ecbs_of(session, probe);
	u32 n;

	if (fresh)
		fresh->needs = fresh->count > 1 ? SONDE_NEED_EACH : 0;
	for (n = 0; fresh && n < fresh->count; n++)
		fresh->needs |= fresh->entries[n].program->needs;
	rcu_assign_pointer(probe->ecbs, fresh);
	if (old)
		kfree_rcu(old, rcu);
}

static int add_one(struct sonde_session *session, const struct sonde_ecb *ecb)
{
	struct sonde_probe *probe = sonde_probe_get(session, ecb->probe);
	struct sonde_ecb_list *old, *fresh;
	u32 count, n;
	int err;

	if (!probe)
		return -ENOMEM;
	old = ecbs_of(session, probe);
	count = old ? old->count : 0;
	fresh = kmalloc(struct_size(fresh, entries, count + 1),
			GFP_KERNEL_ACCOUNT);
	if (!fresh)
		return -ENOMEM;
	err = xa_err(xa_store(&session->ecbs, ecb->epid, probe,
			      GFP_KERNEL_ACCOUNT));
	if (err) {
		kfree(fresh);
		return err;
	}
	for (n = 0; n < count && old->entries[n].epid < ecb->epid; n++)
		fresh->entries[n] = old->entries[n];
	fresh->entries[n].epid = ecb->epid;
	fresh->entries[n].probe = ecb->probe;
	fresh->entries[n].held = ecb->flags & SONDE_ECB_HELD;
	fresh->entries[n].program = xa_load(&session->programs, ecb->program);
	for (; n < count; n++)
		fresh->entries[n + 1] = old->entries[n];
	fresh->count = count + 1;
	replace(session, probe, fresh);
	return 0;
}

static int remove_one(struct sonde_session *session, u32 epid)
{
	struct sonde_probe *probe = xa_load(&session->ecbs, epid);
	struct sonde_ecb_list *old, *fresh = NULL;
	u32 n, to = 0;

	if (!probe)
		return -ENOENT;
	old = ecbs_of(session, probe);
	if (old->count > 1) {
		fresh = kmalloc(struct_size(fresh, entries, old->count - 1),
				GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
		for (n = 0; n < old->count; n++)
			if (old->entries[n].epid != epid)
				fresh->entries[to++] = old->entries[n];
		fresh->count = to;
	}
	for (n = 0; n < old->count; n++)
		if (old->entries[n].epid == epid)
			probe->held -= old->entries[n].held;
	replace(session, probe, fresh);
	xa_erase(&session->ecbs, epid);
	return 0;
}

static int check_ecb(struct sonde_session *session, const struct sonde_ecb *ecb,
		     char *why)
{
	if ((ecb->flags & ~SONDE_ECB_HELD) || !ecb->epid || !ecb->probe) {
		scnprintf(why, SONDE_WHY, "malformed request: ECB");
		return -EINVAL;
	}
	if (!xa_load(&session->programs, ecb->program)) {
		scnprintf(why, SONDE_WHY, "no program %u is loaded", ecb->program);
		return -ENOENT;
	}
	if (xa_load(&session->ecbs, ecb->epid)) {
		scnprintf(why, SONDE_WHY, "ECB %u is there already", ecb->epid);
		return -EEXIST;
	}
	return 0;
}

/* Takes off what was counted of the first @count. */
static void unhold(struct sonde_session *session, const struct sonde_ecb *ecbs,
		   u64 count)
{
	char why[SONDE_WHY];
	bool some = false;
	u64 n;

	for (n = 0; n < count; n++) {
		struct sonde_probe *probe;

		if (!(ecbs[n].flags & SONDE_ECB_HELD))
			continue;
		probe = xa_load(&session->probes, ecbs[n].probe);
		probe->held--;
		some = true;
	}
	if (some)
		sonde_taps_rehold(session, why);
}

/* The taps of probes that will have ECBs that hold go over to engines. */
static int hold(struct sonde_session *session, const struct sonde_ecb *ecbs,
		u64 count, char *why)
{
	bool some = false;
	int err = 0;
	u64 n;

	for (n = 0; n < count; n++) {
		struct sonde_probe *probe;

		if (!(ecbs[n].flags & SONDE_ECB_HELD))
			continue;
		probe = sonde_probe_get(session, ecbs[n].probe);
		if (!probe) {
			unhold(session, ecbs, n);
			return -ENOMEM;
		}
		probe->held++;
		some = true;
	}
	if (some)
		err = sonde_taps_rehold(session, why);
	if (err)
		unhold(session, ecbs, count);
	return err;
}

/**
 * sonde_ecbs_add() - put clauses on probes: all or none
 * @session: its lock is held; it has buffers
 * @bytes: an array of sonde_ecb
 * @length: of @bytes
 * @why: what to tell the user on failure
 *
 * Context: Process context. May sleep.
 * Return: 0, -EINVAL, -ENOENT no such program, -EEXIST, -EOPNOTSUPP one holds
 * where no thread can be held, -ENOMEM.
 */
int sonde_ecbs_add(struct sonde_session *session, const void *bytes, u64 length,
		   char *why)
{
	const struct sonde_ecb *ecbs = bytes;
	u64 count = length / sizeof(*ecbs), n;
	char unused[SONDE_WHY];
	int err = 0;

	if (length % sizeof(*ecbs) || !session->writers) {
		scnprintf(why, SONDE_WHY, session->writers ?
			  "malformed request: array of ECBs" :
			  "there are no buffers yet");
		return -EINVAL;
	}
	for (n = 0; n < count && !err; n++)
		err = check_ecb(session, &ecbs[n], why);
	if (!err)
		err = hold(session, ecbs, count, why);
	if (err)
		return err;
	for (n = 0; n < count && !err; n++) {
		err = check_ecb(session, &ecbs[n], why); /* one may come twice */
		if (!err)
			err = add_one(session, &ecbs[n]);
	}
	if (!err)
		return 0;
	unhold(session, &ecbs[n - 1], count - n + 1);
	for (n--; n--;)
		remove_one(session, ecbs[n].epid);
	sonde_taps_rehold(session, unused);
	synchronize_rcu();
	return err;
}

/**
 * sonde_ecbs_remove() - take clauses off their probes
 * @session: its lock is held
 * @bytes: an array of epids
 * @length: of @bytes
 * @why: what to tell the user on failure
 *
 * None of them runs any more when it returns. Those that are there are removed
 * even where others are not.
 *
 * Context: Process context. May sleep.
 * Return: 0, -EINVAL, -ENOENT one was not there.
 */
int sonde_ecbs_remove(struct sonde_session *session, const void *bytes,
		      u64 length, char *why)
{
	const u32 *epids = bytes;
	int err = 0;
	u64 n;

	if (length % sizeof(*epids)) {
		scnprintf(why, SONDE_WHY, "malformed request: array of ids");
		return -EINVAL;
	}
	for (n = 0; n < length / sizeof(*epids); n++)
		if (remove_one(session, epids[n]))
			err = -ENOENT;
	sonde_taps_rehold(session, why);
	synchronize_rcu();
	if (err)
		scnprintf(why, SONDE_WHY, "no such ECB");
	return err;
}

/**
 * sonde_programs_destroy() - free programs, probes and ECBs
 * @session: nothing of it fires any more
 *
 * Context: Process context. May sleep.
 */
void sonde_programs_destroy(struct sonde_session *session)
{
	struct sonde_program *program;
	struct sonde_probe *probe;
	unsigned long id;

	xa_for_each(&session->probes, id, probe) {
		kfree(rcu_dereference_protected(probe->ecbs, true));
		kfree(probe);
	}
	xa_for_each(&session->programs, id, program) {
		sonde_jit_free(program);
		kvfree(program);
	}
	xa_destroy(&session->probes);
	xa_destroy(&session->programs);
	xa_destroy(&session->ecbs);
}
