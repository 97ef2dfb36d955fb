// SPDX-License-Identifier: GPL-2.0
/*
 * A firing: the ECBs of a probe, and the data that their programs can read
 *
 * fire.h has what every firing does, inlined; the time and the arguments are
 * fetched when a program needs them.
 *
 * Everything runs in the thread that fires, with preemption off, in whatever
 * context the hook has: a tracepoint before a system call, or deep in the
 * signal code with siglock held and interrupts off. So:
 *
 *   user memory   is read only if it is present. A program that needs absent memory
 *                 runs again where the thread may sleep (deferred.c); if that is
 *                 impossible, the load faults
 *   paths         need locks that are not safe against interrupts (fs->lock,
 *                 rename_lock); with interrupts off they fault, too
 *   user stacks   are walked by the tables of the program where mappings may be
 *                 looked up, and the firing can be deferred; else they are
 *                 copied, for the reader to walk
 *   kernel threads have no user memory and no user registers
 *
 * Nothing is read back from the ring, because the reader can change it.
 *
 * self-> variables are looked up by the thread's task pointer, allocated at the
 * first firing that needs them, and freed with the task: a thread that ends
 * gives its CPU away several times, and fires there, after sched_process_exit.
 */
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/unistd.h>

#include "kmod/arch.h"
#include "kmod/compat.h"
#include "kmod/core/hooks.h"
#include "kmod/core/memory.h"
#include "kmod/device/account.h"
#include "kmod/device/buffer.h"
#include "kmod/device/deferred.h"
#include "kmod/device/fire.h"
#include "kmod/device/functions.h"
#include "kmod/device/kernel.h"
#include "kmod/device/named.h"
#include "kmod/device/programs.h"
#include "kmod/device/session.h"
#include "kmod/device/spares.h"
#include "kmod/device/timer.h"
#include "kmod/device/writer.h"
#include "kmod/shared/copied_stack.h"

#define FRAME_MAX BIT_ULL(24) /* maximal size of a stack frame, in bytes */
#define PSARGS_MAX 80u

static const struct sonde_vdso_clock no_clock; /* its mode is not the TSC */
const struct sonde_vdso_clock *sonde_vdso __ro_after_init;

static unsigned long long (*cpu_time_of)(struct task_struct *task)
	__ro_after_init;

/**
 * sonde_clock_otherwise() - the time where the vDSO does not tell it
 *
 * A firing may be in the middle of a change of the kernel's clock, whose reader
 * would wait for its end.
 *
 * Context: Any.
 * Return: CLOCK_MONOTONIC, ns.
 */
u64 sonde_clock_otherwise(void)
{
	return this_cpu_read(sonde_under_locks) ? ktime_get_mono_fast_ns() :
						  ktime_get_ns();
}

/**
 * sonde_fire_init() - look up symbols that are not exported
 *
 * Context: Process context, module load.
 */
void sonde_fire_init(void)
{
	sonde_vdso = sonde_vdso_find() ?: &no_clock;
	cpu_time_of = sonde_function_call("task_sched_runtime",
					  "long long unsigned int(struct task_struct *)");
}

static bool fire_has_user_memory(void)
{
	return current->mm && !(current->flags & PF_KTHREAD) &&
	       (in_task() || this_cpu_read(sonde_sampling));
}

static bool fire_may_lock(void)
{
	return in_task() && !irqs_disabled() &&
	       !this_cpu_read(sonde_under_locks);
}

/* As sonde_read_user(), but does not note absent memory. */
int sonde_read_present(u64 address, void *to, u32 length)
{
	const void __user *from = (const void __user *)(unsigned long)address;
	unsigned long left = length;

	if (!fire_has_user_memory() || !sonde_may_read(address))
		return -1;
	pagefault_disable();
	if (access_ok(from, length)) {
		barrier_nospec(); /* as in copy_from_user(): a member chose the address */
		left = __copy_from_user_inatomic(to, from, length);
	}
	pagefault_enable();
	if (unlikely(left))
		sonde_note_fault();
	return left ? -1 : 0;
}

/**
 * sonde_read_user() - read memory of the current process, if it is present
 * @address: in user memory
 * @to: room for @length bytes
 * @length: number of bytes
 *
 * Context: Any but NMI. Does not sleep.
 * Return: 0 or -1.
 */
int sonde_read_user(u64 address, void *to, u32 length)
{
	int err = sonde_read_present(address, to, length);

	if (unlikely(err))
		sonde_note_absent(address, length, false);
	return err;
}

static int fire_env_read_user(struct sonde_firing *firing, u64 address,
			      void *to, u32 length)
{
	return sonde_load(firing, address, to, length);
}

/* Reads up to @max - 1 bytes and adds a NUL. Return: the length, or -1. */
int sonde_read_text(u64 address, char *to, u32 max)
{
	long length;

	if (!fire_has_user_memory() || !sonde_may_read(address))
		return -1;
	if (max == 1) {
		to[0] = 0;
		return 0;
	}
	pagefault_disable();
	length = strncpy_from_user(to, (const char __user *)address, max - 1);
	pagefault_enable();
	if (unlikely(length < 0)) {
		sonde_note_fault();
		sonde_note_absent(address, max, true);
		return -1;
	}
	to[length] = 0;
	return length;
}

static int fire_env_read_text(struct sonde_firing *firing, u64 address,
			      char *to, u32 max)
{
	return sonde_load_text(firing, address, to, max);
}

/* With interrupts off mappings cannot be looked up: the firing is deferred, if possible. */
static bool fire_may_unwind(const struct pt_regs *regs)
{
	if (!in_task() || !current->mm || !sonde_is_native(regs))
		return false;
	if (!irqs_disabled())
		return true;
	sonde_note_absent(sonde_pc(regs), 1, false);
	return false;
}

/*
 * Walks the user stack, innermost frame first. Return: the number of frames. It
 * uses frame pointers in interrupts, frame information elsewhere. For 32-bit
 * code it returns only the pc: its frames have another layout.
 *
 * sonde_cfi_walk() can use frame pointers, too, but with two reads of memory
 * per frame and with all registers, so it is not used here; it would not save
 * code either.
 */
static int fire_walk_stack(struct sonde_firing *firing, u64 *to, u32 max,
			   u32 *lacks)
{
	const struct pt_regs *regs = firing->regs;
	u32 count = 0;
	u64 frame, low, word;

	if (!regs || !max)
		return 0;
	if (fire_may_unwind(regs))
		return sonde_unwind(firing, to, max, lacks);
	to[count++] = sonde_pc(regs);
	if (!sonde_is_native(regs))
		return count;
	if (firing->start.at_edge && count < max &&
	    !sonde_read_present(sonde_sp(regs), &word, sizeof(word)))
		to[count++] = word;
	frame = sonde_frame_pointer(regs);
	low = sonde_sp(regs);
	while (count < max && frame >= low && frame % 8 == 0 &&
	       frame - low < FRAME_MAX) {
		u64 pair[2];

		if (sonde_read_present(frame, pair, sizeof(pair)) || !pair[1])
			break;
		to[count++] = pair[1];
		low = frame + sizeof(pair);
		frame = pair[0];
	}
	return count;
}

/*
 * Whether the stack is copied: in an interrupt, or under locks of the kernel,
 * no mapping is looked up, and nothing is waited for.
 */
static bool fire_must_copy(const struct sonde_firing *firing)
{
	return firing->stack_bytes && firing->regs &&
	       sonde_is_native(firing->regs) && fire_has_user_memory() &&
	       (!in_task() || this_cpu_read(sonde_under_locks));
}

/* The main thread's stack ends where the program's arguments begin. */
static u64 fire_stack_end(u64 from, u64 bytes)
{
	u64 start = current->mm->start_stack & ~7ull;

	return from < start ? min(from + bytes, start) : from + bytes;
}

/*
 * Copies page by page, because the rest of an absent one is not waited for.
 * Return: the words of struct sonde_copied_stack and of the copy.
 */
static u32 fire_copy_stack(struct sonde_firing *firing, u64 *to, u32 max)
{
	struct sonde_copied_stack *copied = (void *)to;
	u64 at = sonde_sp(firing->regs) & ~7ull;
	/* a record that is as long as the ring would never fit */
	u64 end = fire_stack_end(at, min_t(u64, firing->stack_bytes,
					   firing->writer->size / 4));
	u8 *bytes = (u8 *)(copied + 1);
	u32 piece;

	copied->frames = max;
	copied->at_edge = firing->start.at_edge;
	copied->registers = *firing->regs;
	for (; at < end; at += piece, bytes += piece) {
		piece = min_t(u64, end - at, PAGE_SIZE - offset_in_page(at));
		if (sonde_read_present(at, bytes, piece))
			break;
	}
	firing->lacks |= SONDE_RECORD_STACKS_COPIED;
	return (u64 *)bytes - to;
}

/*
 * Captures a stack for a record, whose flags will tell what the stack lacks, or
 * that it is a copy. Return: the number of words.
 */
int sonde_capture_stack(struct sonde_firing *firing, u64 *to, u32 max)
{
	if (fire_must_copy(firing))
		return fire_copy_stack(firing, to, max);
	return fire_walk_stack(firing, to, max, &firing->lacks);
}

/* The stack is walked once per firing, however many programs need its depth. */
static u32 fire_stack_depth(struct sonde_firing *firing)
{
	u64 *frames = (u64 *)firing->writer->path; /* half a page */
	u32 lacks = 0; /* of frames that are not recorded */

	if (!firing->depth)
		firing->depth = 1 + fire_walk_stack(firing, frames,
						    SONDE_DIF_MAX_FRAMES,
						    &lacks);
	return firing->depth - 1;
}

static u64 fire_caller(struct sonde_firing *firing)
{
	u32 lacks = 0;
	u64 frames[2];

	return fire_walk_stack(firing, frames, 2, &lacks) == 2 ? frames[1] : 0;
}

static u64 fire_cpu_time(void)
{
	return cpu_time_of && !this_cpu_read(sonde_under_locks) ?
		       cpu_time_of(current) :
		       current->se.sum_exec_runtime;
}

static u64 fire_parent_pid(void)
{
	u64 pid;

	rcu_read_lock();
	pid = task_tgid_nr(rcu_dereference(current->real_parent));
	rcu_read_unlock();
	return pid;
}

static u64 fire_group_or_session(enum pid_type type)
{
	u64 pid;

	rcu_read_lock();
	pid = pid_nr(type == PIDTYPE_SID ? task_session(current) :
					   task_pgrp(current));
	rcu_read_unlock();
	return pid;
}

static u64 fire_bound_cpu(void)
{
	const struct cpumask *allowed = current->cpus_ptr;

	return cpumask_weight(allowed) == 1 ? cpumask_first(allowed) : -1ull;
}

/* The time of the firing, the same for all its programs. */
u64 sonde_firing_time(struct sonde_firing *firing)
{
	if (!firing->timestamp)
		firing->timestamp = sonde_writer_time(firing->writer);
	return firing->timestamp;
}

/* 0: the thread has none any more. */
static u64 fire_pid_namespace(void)
{
	struct pid_namespace *ns;
	u64 inode;

	rcu_read_lock();
	ns = task_active_pid_ns(current);
	inode = ns ? ns->ns.inum : 0;
	rcu_read_unlock();
	return inode;
}

/* In the v2 hierarchy. */
static u64 fire_cgroup_id(void)
{
	u64 id = 0;

#ifdef CONFIG_CGROUPS
	rcu_read_lock();
	id = cgroup_id(task_dfl_cgroup(current));
	rcu_read_unlock();
#endif
	return id;
}

u64 sonde_descends(struct sonde_firing *firing, u64 pid)
{
	const struct task_struct *task = current;
	u32 left = SONDE_DIF_ANCESTORS;
	u64 found;

	rcu_read_lock();
	/* 0: the idle thread's */
	while (task->tgid && (u64)task->tgid != pid && left--)
		task = rcu_dereference(task->real_parent);
	found = pid && (u64)task->tgid == pid;
	rcu_read_unlock();
	return found;
}

u64 sonde_variable(struct sonde_firing *firing, u32 variable)
{
	switch ((enum sonde_dif_variable)variable) {
	case SONDE_DIF_VAR_PID:
		return current->tgid;
	case SONDE_DIF_VAR_TID:
		return current->pid;
	case SONDE_DIF_VAR_PPID:
		return fire_parent_pid();
	case SONDE_DIF_VAR_UID:
		return from_kuid(&init_user_ns, current_uid());
	case SONDE_DIF_VAR_GID:
		return from_kgid(&init_user_ns, current_gid());
	case SONDE_DIF_VAR_EUID:
		return from_kuid(&init_user_ns, current_euid());
	case SONDE_DIF_VAR_EGID:
		return from_kgid(&init_user_ns, current_egid());
	case SONDE_DIF_VAR_CPU:
		return smp_processor_id();
	case SONDE_DIF_VAR_TIMESTAMP:
		return sonde_firing_time(firing);
	case SONDE_DIF_VAR_VTIMESTAMP:
		return fire_cpu_time();
	case SONDE_DIF_VAR_ERRNO:
		return firing->start.located ? 0 : firing->start.error;
	case SONDE_DIF_VAR_UCALLER:
		return fire_caller(firing);
	case SONDE_DIF_VAR_USTACKDEPTH:
		return fire_stack_depth(firing);
	case SONDE_DIF_VAR_PROBE:
		return firing->probe;
	case SONDE_DIF_VAR_PGID:
		return fire_group_or_session(PIDTYPE_PGID);
	case SONDE_DIF_VAR_SID:
		return fire_group_or_session(PIDTYPE_SID);
	case SONDE_DIF_VAR_NLWP:
		return get_nr_threads(current);
	case SONDE_DIF_VAR_SYSCALL:
		return firing->call;
	case SONDE_DIF_VAR_STACK_START:
		return current->mm ? current->mm->start_stack : 0;
	case SONDE_DIF_VAR_PRIORITY:
		return current->prio - MAX_RT_PRIO;
	case SONDE_DIF_VAR_POLICY:
		return current->policy;
	case SONDE_DIF_VAR_BOUND_CPU:
		return fire_bound_cpu();
	case SONDE_DIF_VAR_CURTHREAD:
		return (unsigned long)current;
	case SONDE_DIF_VAR_CALLER:
		return sonde_kernel_caller(firing, NULL);
	case SONDE_DIF_VAR_STACKDEPTH:
		return sonde_kernel_depth(firing, NULL);
	case SONDE_DIF_VAR_VPID:
		return task_tgid_vnr(current);
	case SONDE_DIF_VAR_PIDNS:
		return fire_pid_namespace();
	case SONDE_DIF_VAR_CGROUPID:
		return fire_cgroup_id();
	case SONDE_DIF_VAR_TTY: /* reading it takes a lock that may be held here */
	case SONDE_DIF_VAR_COUNT:
		break;
	}
	return 0;
}

/* uregs[number] of user mode. */
u64 sonde_register(struct sonde_firing *firing, u32 number)
{
	return firing->regs ? sonde_user_register(firing->regs, number) : 0;
}

static int fire_put_text(const char *text, char *to, u32 max)
{
	u32 n = 0;

	for (; n < max - 1 && text[n]; n++)
		to[n] = text[n];
	to[n] = 0;
	return n;
}

static int fire_put_path(struct sonde_firing *firing, const struct path *path,
			 char *to, u32 max)
{
	const char *text = d_path(path, firing->writer->path, PAGE_SIZE);

	return IS_ERR(text) ? -1 : fire_put_text(text, to, max);
}

/* After the mm is gone at an exit, nothing shows whether the process may be read. */
static bool fire_may_see_paths(const struct sonde_firing *firing)
{
	return fire_may_lock() && (current->mm || firing->session->privileged);
}

/* Working or root directory; the lock keeps the path valid. */
static int fire_put_directory(struct sonde_firing *firing, bool root, char *to,
			      u32 max)
{
	struct fs_struct *fs = current->fs;
	int length;

	if (!fs || !fire_may_see_paths(firing))
		return -1;
	sonde_fs_lock(fs);
	length = fire_put_path(firing, root ? &fs->root : &fs->pwd, to, max);
	sonde_fs_unlock(fs);
	return length;
}

static int fire_put_executable(struct sonde_firing *firing, char *to, u32 max)
{
	struct file *file;
	int length;

	if (!fire_may_see_paths(firing))
		return -1;
	file = sonde_kernel.get_task_exe_file(current);
	if (!file)
		return -1;
	length = fire_put_path(firing, &file->f_path, to, max);
	fput(file);
	return length;
}

static int fire_put_file(struct sonde_firing *firing, u32 which, u64 fd,
			 char *to, u32 max)
{
	struct path mount;
	struct file *file;
	int length = -1;

	if (!fire_may_see_paths(firing) || !current->files)
		return -1;
	file = fget_raw(fd);
	if (!file)
		return fire_put_text(which == SONDE_DIF_TEXT_FDPATH ? "<none>" :
								      "",
				     to, max);
	mount.mnt = file->f_path.mnt;
	mount.dentry = mount.mnt->mnt_root;
	if (which == SONDE_DIF_TEXT_FDPATH)
		length = fire_put_path(firing, &file->f_path, to, max);
	else if (which == SONDE_DIF_TEXT_FDMOUNT)
		length = fire_put_path(firing, &mount, to, max);
	else if (which == SONDE_DIF_TEXT_FDPOS)
		length = scnprintf(to, max, "%lld", file->f_pos);
	else if (which == SONDE_DIF_TEXT_FDFLAGS)
		length = scnprintf(to, max, "%u", file->f_flags);
	else
		length = fire_put_text(file_inode(file)->i_sb->s_type->name, to,
				       max);
	fput(file);
	return length;
}

/* The file of a descriptor, without the mark that its name is deleted. */
static int fire_put_descriptor(struct sonde_firing *firing, u64 fd, char *to,
			       u32 max)
{
	static const char mark[] = " (deleted)";
	int length = fire_put_file(firing, SONDE_DIF_TEXT_FDPATH, fd, to, max);
	int rest = length - (int)strlen(mark);

	if (length > 0 && to[0] != '/')
		return fire_put_text("", to, max); /* there is none */
	if (rest > 0 && !strcmp(to + rest, mark)) {
		to[rest] = 0;
		length = rest;
	}
	return length;
}

/*
 * The path that an exec names; of execveat(fd, "", ..., AT_EMPTY_PATH), as
 * fexecve() makes it, the descriptor's file.
 */
static int fire_put_exec_path(struct sonde_firing *firing, char *to, u32 max)
{
	int length = sonde_read_text(firing->text_address, to, max);
	u64 args[6];

	if (length || firing->call != __NR_execveat || !firing->regs)
		return length;
	if (sonde_call_is_compat())
		sonde_fetch_compat_registers(firing->regs, args);
	else
		sonde_fetch_registers(firing->regs, true, args);
	if (!(args[4] & AT_EMPTY_PATH))
		return length;
	return fire_put_descriptor(firing, args[0], to, max);
}

/* The arguments of the process: blanks instead of NULs, without NULs at the end. */
static int fire_put_arguments(char *to, u32 max)
{
	struct mm_struct *mm = current->mm;
	char text[PSARGS_MAX];
	u32 length, n;

	if (!mm || !fire_has_user_memory())
		return -1;
	length = min3(PSARGS_MAX, max - 1,
		      (u32)min(mm->arg_end - mm->arg_start, 4096ul));
	if (sonde_read_user(mm->arg_start, text, length))
		return -1;
	while (length && !text[length - 1])
		length--;
	for (n = 0; n < length; n++)
		to[n] = text[n] ? text[n] : ' ';
	to[length] = 0;
	return length;
}

/* For a process other than the current one: a member may read only those of his own user. */
static bool fire_may_name(const struct sonde_session *session,
			  struct task_struct *task)
{
	return session->privileged ||
	       uid_eq(session->cred->uid, task_uid(task));
}

static int fire_put_comm(const struct sonde_firing *firing, u64 pid, char *to,
			 u32 max)
{
	struct task_struct *task;
	int length;

	rcu_read_lock();
	task = pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_PID);
	if (task && !fire_may_name(firing->session, task))
		task = NULL;
	length = fire_put_text(task ? task->comm : "", to, max);
	rcu_read_unlock();
	return length;
}

/* As sonde_read_text(), for the texts of DIF. */
int sonde_text(struct sonde_firing *firing, u32 which, u64 operand, char *to,
	       u32 max)
{
	switch ((enum sonde_dif_text)which) {
	case SONDE_DIF_TEXT_EXECNAME:
		return fire_put_text(current->comm, to, max);
	case SONDE_DIF_TEXT_PSARGS:
		return fire_put_arguments(to, max);
	case SONDE_DIF_TEXT_CWD:
		return fire_put_directory(firing, false, to, max);
	case SONDE_DIF_TEXT_ROOT:
		return fire_put_directory(firing, true, to, max);
	case SONDE_DIF_TEXT_FDPATH:
	case SONDE_DIF_TEXT_FDFS:
	case SONDE_DIF_TEXT_FDMOUNT:
	case SONDE_DIF_TEXT_FDPOS:
	case SONDE_DIF_TEXT_FDFLAGS:
		return fire_put_file(firing, which, operand, to, max);
	case SONDE_DIF_TEXT_EXEPATH:
		return fire_put_executable(firing, to, max);
	case SONDE_DIF_TEXT_PROBE_TEXT:
		if (operand || !firing->start.has_text)
			return -1;
		return fire_put_exec_path(firing, to, max);
	case SONDE_DIF_TEXT_COMM:
		return fire_put_comm(firing, operand, to, max);
	case SONDE_DIF_TEXT_SYSCALL_ARGS: /* sonde_program_load() refuses these */
	case SONDE_DIF_TEXT_STRINGS:
	case SONDE_DIF_TEXT_POINTERS:
	case SONDE_DIF_TEXT_COUNT:
		break;
	}
	return -1;
}

static int fire_env_read_kernel(struct sonde_firing *firing, u64 address,
				void *to, u32 length)
{
	return sonde_read_kernel(address, to, length);
}

static int fire_env_read_kernel_text(struct sonde_firing *firing, u64 address,
				     char *to, u32 max)
{
	return sonde_read_kernel_text(address, to, max);
}

static int fire_env_kernel_stack(struct sonde_firing *firing, u64 *to, u32 max)
{
	return sonde_walk_kernel(firing, NULL, to, max);
}

static const struct sonde_dif_env sonde_env = {
	.read_user = fire_env_read_user,
	.read_text = fire_env_read_text,
	.variable = sonde_variable,
	.user_register = sonde_register,
	.descends = sonde_descends,
	.text = sonde_text,
	.stack = sonde_capture_stack,
	.read_kernel = fire_env_read_kernel,
	.read_kernel_text = fire_env_read_kernel_text,
	.kernel_stack = fire_env_kernel_stack,
};

static struct sonde_thread *fire_find_thread(struct sonde_session *session,
					     struct task_struct *task)
{
	struct sonde_thread *thread;

	hash_for_each_possible_rcu(session->threads, thread, node,
				   (unsigned long)task)
		if (thread->task == task)
			return thread;
	return NULL;
}

/* Only the thread itself adds its entry, so there are never two. */
static noinline u64 *fire_make_thread(struct sonde_session *session)
{
	bool under_locks = this_cpu_read(sonde_under_locks);
	struct sonde_thread *thread = NULL;
	unsigned long flags;

	if (!in_task())
		return NULL;
	if (!under_locks) {
		thread = sonde_alloc_within(&session->account->fired,
					    SONDE_MEMORY_VARIABLES,
					    sizeof(*thread), GFP_NOWAIT);
		if (!thread)
			return NULL;
	}
	sonde_lock_irqsave(&session->threads_lock, flags);
	if (under_locks)
		thread = sonde_spares_take(session);
	if (thread) {
		thread->task = current;
		hash_add_rcu(session->threads, &thread->node,
			     (unsigned long)current);
	}
	sonde_unlock_irqrestore(&session->threads_lock, flags);
	return thread ? thread->variables : NULL;
}

/**
 * sonde_thread_forget() - free the self-> variables of a thread
 * @session: any
 * @task: it runs nothing any more
 *
 * Context: Any. Does not sleep.
 */
void sonde_thread_forget(struct sonde_session *session,
			 struct task_struct *task)
{
	struct sonde_thread *thread;
	unsigned long flags;

	rcu_read_lock();
	thread = fire_find_thread(session, task);
	rcu_read_unlock();
	if (!thread)
		return;
	sonde_lock_irqsave(&session->threads_lock, flags);
	hash_del_rcu(&thread->node);
	sonde_unlock_irqrestore(&session->threads_lock, flags);
	sonde_free_rcu(thread);
}

/**
 * sonde_threads_destroy() - free all self-> variables
 * @session: it does not fire any more
 *
 * Context: Process context.
 */
void sonde_threads_destroy(struct sonde_session *session)
{
	struct sonde_thread *thread;
	struct hlist_node *next;
	int bucket;

	sonde_spares_end(session);

	hash_for_each_safe(session->threads, bucket, next, thread, node) {
		hash_del(&thread->node);
		sonde_free(thread);
		cond_resched();
	}
}

static __always_inline u64 *fire_thread_variables(struct sonde_session *session)
{
	struct sonde_thread *thread = fire_find_thread(session, current);

	return likely(thread) ? thread->variables : fire_make_thread(session);
}

/* After sonde_fetch_args(). */
static noinline void fire_fetch_stack_args(struct sonde_firing *firing)
{
	if (!firing->start.stack_args)
		return;
	firing->start.stack_args = false;
	if (firing->regs)
		sonde_read_user(sonde_stack_arguments(firing->regs),
				&firing->args[6],
				(SONDE_DIF_ARGS - 6) * sizeof(u64));
}

static __always_inline void fire_prepare(struct sonde_firing *firing, u32 needs)
{
	if (needs & SONDE_NEED_ARGS)
		sonde_fetch_args(firing);
	if (needs & SONDE_NEED_STACK_ARGS)
		fire_fetch_stack_args(firing);
	if (needs & SONDE_NEED_LOCALS)
		memset(firing->writer->locals, 0,
		       sizeof(firing->writer->locals));
	if (needs & SONDE_NEED_THREAD)
		firing->thread_variables =
			fire_thread_variables(firing->session);
	if (needs & SONDE_NEED_USER) {
		sonde_fire_watch();
		firing->depth = 0;
	}
}

/* Fetches what the programs of a firing need, once for all of them. */
void sonde_fire_prepare(struct sonde_firing *firing, u32 needs)
{
	fire_prepare(firing, needs);
}

/* Runs the interpreter. Return: bytes of the record, or 0. */
noinline u32 sonde_fire_interpret(struct sonde_firing *firing,
				  const struct sonde_program *program,
				  struct sonde_record *record)
{
	const struct sonde_dif_firing view = {
		.env = &sonde_env,
		.thread = firing,
		.args = firing->args,
		.locals = firing->writer->locals,
		.thread_variables = firing->thread_variables,
		.execname = firing->task->comm,
		.stack_words = firing->stack_bytes ?
				       (sizeof(struct sonde_copied_stack) +
					firing->stack_bytes) / 8 :
				       0,
	};
	u32 bytes;

	firing->lacks = 0;
	bytes = sonde_dif_run(&program->view, &view, record);
	if (bytes)
		record->flags |= firing->lacks;
	return bytes;
}

static __always_inline void fire_ecb(struct sonde_firing *firing,
				     struct sonde_writer *writer,
				     const struct sonde_ecb_entry *ecb)
{
	struct sonde_record *record =
		sonde_writer_reserve(writer, ecb->program->reserve);
	u32 bytes = sonde_run_ecb(firing, ecb->program, record);

	if (!bytes)
		return;
	if (!firing->timestamp)
		firing->timestamp = sonde_writer_time(writer);
	sonde_publish(firing, writer, ecb, record, bytes, firing->timestamp);
}

/* The rest of sonde_fire_each(), if there are several ECBs, or user memory is read. */
static noinline bool fire_several(struct sonde_firing *firing,
				  const struct sonde_ecb_entry *ecb, u32 count,
				  u32 all)
{
	const struct sonde_ecb_entry *end = ecb + count;
	struct sonde_writer *writer = firing->writer;
	bool deferred = false;

	for (; ecb < end && !deferred; ecb++) {
		u32 needs = ecb->program->needs;

		if (READ_ONCE(ecb->gone))
			continue;
		if (needs & SONDE_NEED_USER)
			sonde_fire_user(firing, ecb);
		else if ((needs & SONDE_NEED_THREAD) &&
			 !firing->thread_variables)
			sonde_writer_drop(writer, 1); /* no memory */
		else
			fire_ecb(firing, writer, ecb);
		/* a deferred firing defers the remaining ECBs, too */
		deferred = (all & SONDE_NEED_USER) && sonde_is_deferred(firing);
	}
	sonde_writer_end(writer, firing->timestamp);
	return deferred;
}

/*
 * The rest of sonde_fire_now(), if programs need more than their arguments. The
 * usual case is one ECB that reads no user memory. It needs no loop.
 */
bool sonde_fire_each(struct sonde_firing *firing,
		     const struct sonde_ecb_list *ecbs)
{
	struct sonde_writer *writer = firing->writer;
	/* orders the count before the needs; pairs with entries_append() */
	u32 count = smp_load_acquire(&ecbs->list.count);
	u32 all = READ_ONCE(ecbs->needs);

	firing->timestamp = 0;
	fire_prepare(firing, all);
	if (all & (SONDE_NEED_EACH | SONDE_NEED_USER))
		return fire_several(firing, ecbs->entries, count, all);
	if (unlikely((all & SONDE_NEED_THREAD) && !firing->thread_variables))
		sonde_writer_drop(writer, 1); /* no memory */
	else
		fire_ecb(firing, writer, &ecbs->entries[0]);
	sonde_writer_end(writer, firing->timestamp);
	return false;
}

/**
 * sonde_fire() - run the ECBs of a probe
 * @firing: session, task, regs, args and whatever else is known; the rest is
 *	filled in
 * @probe: the probe
 *
 * Context: Any but NMI; preemption is off. Does not sleep.
 */
void sonde_fire(struct sonde_firing *firing, struct sonde_probe *probe)
{
	lockdep_assert_preemption_disabled();
	sonde_fire_now(firing, probe);
}

/**
 * sonde_lose_probe() - count the records of a firing that is not made
 * @session: the session of the probe
 * @probe: the probe
 *
 * Context: Any but NMI. Does not sleep.
 */
void sonde_lose_probe(struct sonde_session *session,
		      const struct sonde_probe *probe)
{
	const struct sonde_ecb_list *ecbs;

	rcu_read_lock();
	ecbs = rcu_dereference(probe->ecbs);
	if (ecbs)
		atomic64_add(READ_ONCE(ecbs->list.live), &session->lost);
	rcu_read_unlock();
}

/**
 * sonde_lose_site() - count the records of the firings at a site that are not
 * made
 * @session: the session of the site
 * @site: the site
 * @task: the task that would have fired
 *
 * Context: As sonde_fire().
 */
void sonde_lose_site(struct sonde_session *session,
		     const struct sonde_site *site, struct task_struct *task)
{
	u32 count = smp_load_acquire(&site->list.count), n; /* pairs with entries_append() */

	for (n = 0; n < count; n++) {
		const struct sonde_site_entry *entry = &site->entries[n];

		if (!READ_ONCE(entry->gone) &&
		    (!entry->pid || entry->pid == task->tgid))
			sonde_lose_probe(session, entry->probe);
	}
}

/**
 * sonde_fire_site() - run the probes of a site
 * @firing: as for sonde_fire()
 * @site: the site; its session traces the task
 *
 * Together they may cost as much as one probe: preemption is off. Where
 * interrupts are off, too, a tenth of it.
 *
 * Context: As sonde_fire().
 * Return: whether a firing is deferred, for sonde_run_deferred().
 */
bool sonde_fire_site(struct sonde_firing *firing,
		     const struct sonde_site *site)
{
	u32 count = smp_load_acquire(&site->list.count), n; /* pairs with entries_append() */
	u32 left = irqs_disabled() ? SONDE_COST_URGENT(firing->session) :
				     SONDE_COST_MAX(firing->session);
	bool deferred = false;

	for (n = 0; n < count; n++) {
		const struct sonde_site_entry *entry = &site->entries[n];
		u32 cost = READ_ONCE(entry->probe->cost);

		if (READ_ONCE(entry->gone) ||
		    (entry->pid && entry->pid != firing->task->tgid))
			continue;
		if (unlikely(cost > left)) {
			sonde_lose_probe(firing->session, entry->probe);
			continue;
		}
		left -= cost;
		deferred |= sonde_fire_now(firing, entry->probe);
	}
	return deferred;
}
