/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A firing, inlined into the hooks; and the data that its programs can read
 * (fire.c), for native code
 *
 * Every firing executes the instructions here, so rare cases are calls of
 * fire.c or buffer.c. That is why the module has a loop of its own over the
 * ECBs of a probe, and does not use runtime/firing/firing_loop.h, which
 * specifies such loops: one time and one sequence number for all ECBs, in the
 * order of epids; after an ECB that holds its thread, deferred.c continues.
 */
#ifndef SONDE_FIRE_H
#define SONDE_FIRE_H

#include "kmod/arch.h"
#include "kmod/device/buffer.h"
#include "kmod/device/session.h"
#include "kmod/device/writer.h"

void sonde_fire_init(void);
void sonde_fire(struct sonde_firing *firing, struct sonde_probe *probe);
bool sonde_fire_site(struct sonde_firing *firing,
		     const struct sonde_site *site);
void sonde_lose_probe(struct sonde_session *session,
		      const struct sonde_probe *probe);
void sonde_lose_site(struct sonde_session *session,
		     const struct sonde_site *site, struct task_struct *task);
int sonde_read_user(u64 address, void *to, u32 length);
void sonde_thread_forget(struct sonde_session *session,
			 struct task_struct *task);
void sonde_threads_destroy(struct sonde_session *session);

u64 sonde_firing_time(struct sonde_firing *firing);
u64 sonde_variable(struct sonde_firing *firing, u32 variable);
/* 1: the firing process is this one, or descends from it. 0: not */
u64 sonde_descends(struct sonde_firing *firing, u64 pid);
u64 sonde_register(struct sonde_firing *firing, u32 number);
int sonde_read_text(u64 address, char *to, u32 max);
int sonde_text(struct sonde_firing *firing, u32 which, u64 operand, char *to,
	       u32 max);
int sonde_capture_stack(struct sonde_firing *firing, u64 *to, u32 max);
int sonde_read_present(u64 address, void *to, u32 length);

/* locations.c */
void sonde_locations_init(void);
int sonde_read_argument(struct sonde_firing *firing, u64 address, void *to,
			u32 length);
int sonde_read_argument_text(struct sonde_firing *firing, u64 address, char *to,
			     u32 max);

/* Reads an argument or user memory, for a program. Return: 0 or -1. */
static inline int sonde_load(struct sonde_firing *firing, u64 address, void *to,
			     u32 length)
{
	if (unlikely(sonde_is_argument(address)))
		return sonde_read_argument(firing, address, to, length);
	return sonde_read_user(address, to, length);
}

static inline int sonde_load_text(struct sonde_firing *firing, u64 address,
				  char *to, u32 max)
{
	if (unlikely(sonde_is_argument(address)))
		return sonde_read_argument_text(firing, address, to, max);
	return sonde_read_text(address, to, max);
}

/* unwind.c: the maximal cost of a walk, in program instructions */
#define SONDE_WALK_COST(frames) (512u + 64u * (frames))

u32 sonde_unwind(const struct sonde_firing *firing, u64 *to, u32 max,
		 u32 *lacks);

void sonde_fire_prepare(struct sonde_firing *firing, u32 needs);
u32 sonde_fire_interpret(struct sonde_firing *firing,
			 const struct sonde_program *program,
			 struct sonde_record *record);
bool sonde_fire_each(struct sonde_firing *firing,
		     const struct sonde_ecb_list *ecbs);

/*
 * Fetches the first six arguments; fire_fetch_stack_args() fetches the others,
 * if there are any. Each word is written here, because a program of a later
 * probe of this firing can read it.
 */
static __always_inline void sonde_fetch_args(struct sonde_firing *firing)
{
	const struct pt_regs *regs = firing->regs;
	u8 source = firing->start.args_source;
	u32 n;

	if (source == SONDE_ARGS_READY)
		return;
	for (n = 6; n < SONDE_DIF_ARGS; n++)
		firing->args[n] = 0;
	if (source == SONDE_ARGS_CALL || source == SONDE_ARGS_USER) {
		sonde_fetch_registers(regs, source == SONDE_ARGS_CALL,
				      firing->args);
	} else if (source == SONDE_ARGS_COMPAT) {
		sonde_fetch_compat_registers(regs, firing->args);
	} else if (source == SONDE_ARGS_RESULT) {
		firing->args[0] = firing->result;
		firing->args[1] = firing->result;
		for (n = 2; n < 6; n++)
			firing->args[n] = 0;
	}
	firing->start.args_source = SONDE_ARGS_READY;
}

/* Runs the program, which fills in all of the record that depends on it. */
static __always_inline u32 sonde_run_ecb(struct sonde_firing *firing,
					 const struct sonde_program *program,
					 struct sonde_record *record)
{
	firing->writer->firings++;
	if (likely(program->run))
		return program->run(firing, record);
	if (!program->empty)
		return sonde_fire_interpret(firing, program, record);
	*(u64 *)&record->size = sizeof(*record); /* flags, slots: 0 */
	record->faults = 0;
	return sizeof(*record);
}

static __always_inline void
sonde_publish(struct sonde_firing *firing, struct sonde_writer *writer,
	      const struct sonde_ecb_entry *ecb, struct sonde_record *record,
	      u32 bytes, u64 now)
{
	/* each copies two fields */
	*(u64 *)&record->epid = *(const u64 *)&ecb->epid;
	record->timestamp = now;
	record->pid = firing->task->tgid;
	record->tid = firing->task->pid;
	*(u64 *)&record->cpu = *(const u64 *)&writer->cpu;
	sonde_writer_commit(writer, record, bytes);
}

/* Return: whether the firing is deferred, for sonde_run_deferred(). */
static __always_inline bool sonde_fire_now(struct sonde_firing *firing,
					   struct sonde_probe *probe)
{
	const struct sonde_ecb_list *ecbs = rcu_dereference_sched(probe->ecbs);
	struct sonde_writer *writer;
	const struct sonde_ecb_entry *ecb;
	struct sonde_record *record;
	u32 bytes;

	if (unlikely(!ecbs))
		return false;
	writer = this_cpu_ptr(firing->session->writers);
	if (unlikely(!sonde_writer_begin(writer))) {
		sonde_writer_refuse(firing->session, writer,
				    READ_ONCE(ecbs->list.live));
		return false;
	}
	firing->writer = writer;
	firing->probe = probe->id;
	if (ecbs->needs) {
		if (ecbs->needs != SONDE_NEED_ARGS)
			return sonde_fire_each(firing, ecbs);
		sonde_fetch_args(firing);
	}
	ecb = &ecbs->entries[0];
	record = sonde_writer_reserve(writer, ecb->program->reserve);
	bytes = sonde_run_ecb(firing, ecb->program, record);
	if (bytes)
		sonde_publish(firing, writer, ecb, record, bytes,
			      sonde_writer_time(writer));
	sonde_writer_end(writer, bytes);
	return false;
}

#endif
