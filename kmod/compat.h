/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between kernel versions; only the compat headers in kmod/ test
 * the version. Supported: Debian's 5.10, 6.1, 6.12, 7.2 and 7.3.
 */
#ifndef SONDE_COMPAT_H
#define SONDE_COMPAT_H

#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/sched/jobctl.h>
#include <linux/sched/signal.h>
#include <linux/thread_info.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#include <linux/sched/exec_state.h>
#endif

/*
 * Before 5.10.162 task_work_add(TWA_SIGNAL) takes siglock, which our lock order
 * does not allow.
 */
#ifndef TIF_NOTIFY_SIGNAL
#error "sonde needs Linux 5.10.162 or newer"
#endif

/* The inode of a mapped file that /proc/PID/maps shows: since 6.8 that of the overlay file system, not of the file under it. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define sonde_shown_inode file_user_inode
#else
#define sonde_shown_inode file_inode
#endif

/* When a file was written, in ns; since 6.7 a function reads it. */
static inline s64 sonde_written(const struct inode *inode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	struct timespec64 time = inode_get_mtime(inode);
#else
	struct timespec64 time = inode->i_mtime;
#endif
	return timespec64_to_ns(&time);
}

/* If each thread ends by itself, the process gets the status of the last one; before 6.0 that of the leader. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 0, 0)
#define SONDE_LAST_THREAD_DECIDES 1
#else
#define SONDE_LAST_THREAD_DECIDES 0
#endif

/* Since 6.3 the flags of a mapping are changed by functions. */
static inline void sonde_vma_clear(struct vm_area_struct *vma,
				   unsigned long flags)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_clear(vma, flags);
#else
	vma->vm_flags &= ~flags;
#endif
}

/* ftrace: before 5.11 a handler gets all registers if it asks for them. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#define SONDE_FTRACE_REGS struct pt_regs
#define SONDE_FTRACE_FLAGS \
	(FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RECURSION_SAFE)
#else
#define SONDE_FTRACE_REGS struct ftrace_regs
#define SONDE_FTRACE_FLAGS 0
#endif

/* The registers that an ftrace handler sees: arguments, sp and ip. */
static __always_inline struct pt_regs *sonde_fregs(SONDE_FTRACE_REGS *fregs)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
	return fregs;
#elif defined(arch_ftrace_regs)	/* 6.13, and later 6.12 */
	return &arch_ftrace_regs(fregs)->regs;
#else
	return &fregs->regs;
#endif
}

/*
 * The system call path. Up to 6.12 syscall_trace_enter() can be hooked, before
 * ptrace and seccomp, and returns -1 to skip the call; the exit function is
 * inlined, so a probe on sys_exit is used instead. Since 7.0 there are two
 * separate functions; the entry function runs after ptrace and seccomp, and a
 * call is skipped by setting its number to -1.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define SONDE_EXIT_HOOKED 1
#define SONDE_NAME_SYSCALL_ENTRY "trace_syscall_enter"
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 3, 0)
#define SONDE_TYPE_SYSCALL_ENTRY "void(struct pt_regs *)"
#else
#define SONDE_TYPE_SYSCALL_ENTRY "long int(struct pt_regs *, long int)"
#endif
#define SONDE_NAME_SYSCALL_EXIT "trace_syscall_exit"
#else
#define SONDE_EXIT_HOOKED 0
#define SONDE_NAME_SYSCALL_ENTRY "syscall_trace_enter"
#define SONDE_TYPE_SYSCALL_ENTRY \
	"long int(struct pt_regs *, long int, long unsigned int)"
#define SONDE_NAME_SYSCALL_EXIT NULL
#endif

/* Before 5.11 the work bit is a thread flag. */
#ifndef set_task_syscall_work
#define set_task_syscall_work(task, bit) set_tsk_thread_flag(task, TIF_##bit)
#define clear_task_syscall_work(task, bit) \
	clear_tsk_thread_flag(task, TIF_##bit)
#define set_syscall_work(bit) set_thread_flag(TIF_##bit)
#define test_syscall_work(bit) test_thread_flag(TIF_##bit)
#define SONDE_WORK_WORD(task) (&task_thread_info(task)->flags)
#else
#define SONDE_WORK_WORD(task) (&task_thread_info(task)->syscall_work)
#endif

/*
 * dequeue_signal() got a type argument in 5.17 and lost its task argument in
 * 6.12, which made the mask the first argument.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define SONDE_TYPE_DEQUEUE_SIGNAL \
	"int(sigset_t *, kernel_siginfo_t *, enum pid_type *)"
#define SONDE_DEQUEUE_FIRST 0
#define SONDE_DEQUEUE(mask, info, type) dequeue_signal(mask, info, type)
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(5, 17, 0)
#define SONDE_TYPE_DEQUEUE_SIGNAL \
	"int(struct task_struct *, sigset_t *, kernel_siginfo_t *, enum pid_type *)"
#define SONDE_DEQUEUE_FIRST 1
#define SONDE_DEQUEUE(mask, info, type) \
	dequeue_signal(current, mask, info, type)
#else
#define SONDE_TYPE_DEQUEUE_SIGNAL \
	"int(struct task_struct *, sigset_t *, kernel_siginfo_t *)"
#define SONDE_DEQUEUE_FIRST 1
#define SONDE_DEQUEUE(mask, info, type) dequeue_signal(current, mask, info)
#endif
#define SONDE_DEQUEUE_MASK(a) SONDE_ARG(a, SONDE_DEQUEUE_FIRST)
#define SONDE_DEQUEUE_INFO(a) SONDE_ARG(a, SONDE_DEQUEUE_FIRST + 1)
#define SONDE_DEQUEUE_TYPE(a) SONDE_ARG(a, SONDE_DEQUEUE_FIRST + 2)

static inline int sonde_dequeue_signal(sigset_t *mask, kernel_siginfo_t *info)
{
	enum pid_type type __maybe_unused;

	return SONDE_DEQUEUE(mask, info, &type);
}

/* The hooked dequeue_signal() must set the type: the queue of the signal. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 17, 0)
#define sonde_dequeue_set_type(a) do { } while (0)
#else
#define sonde_dequeue_set_type(a) \
	(*(enum pid_type *)SONDE_DEQUEUE_TYPE(a) = PIDTYPE_PID)
#endif

/* The sighand of the current thread, which cannot change while it runs. */
static inline struct sighand_struct *sonde_sighand(void)
{
	return rcu_dereference_protected(current->sighand, true);
}

/* A signal that the kernel forces and no handler may take, since 5.16. */
static inline bool sonde_immutable(int signr)
{
#ifdef SA_IMMUTABLE
	return sonde_sighand()->action[signr - 1].sa.sa_flags & SA_IMMUTABLE;
#else
	return false;
#endif
}

/* The group exits, or another thread of it execs. */
static inline bool sonde_group_exits(const struct signal_struct *signal)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 17, 0)
	return signal_group_exit(signal);
#else
	return (signal->flags & SIGNAL_GROUP_EXIT) || signal->group_exec_task;
#endif
}

/* In a job control stop. Since 5.19 this has a flag of its own. */
static inline bool sonde_job_stopped(const struct task_struct *task)
{
#ifdef JOBCTL_STOPPED
	return READ_ONCE(task->jobctl) & JOBCTL_STOPPED;
#else
	return READ_ONCE(task->state) & __TASK_STOPPED;
#endif
}

/*
 * In a job control stop or a ptrace stop; it cannot leave while siglock is
 * held.
 */
static inline bool sonde_stands_still(const struct task_struct *task)
{
#ifdef JOBCTL_STOPPED
	return READ_ONCE(task->jobctl) & (JOBCTL_STOPPED | JOBCTL_TRACED);
#else
	return READ_ONCE(task->state) & (__TASK_STOPPED | __TASK_TRACED);
#endif
}

/* Whether tracers of the same user may read the current task, which has an mm. */
static inline bool sonde_current_dumpable(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
	const struct task_exec_state *state;
	bool dumpable;

	rcu_read_lock();
	state = rcu_dereference(current->exec_state);
	dumpable = state && READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER;
	rcu_read_unlock();
	return dumpable;
#else
	return get_dumpable(current->mm) == SUID_DUMP_USER;
#endif
}

/* Since 6.19 a seqlock protects the working and root directory of a process. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0)
#define sonde_fs_lock(fs) read_seqlock_excl(&(fs)->seq)
#define sonde_fs_unlock(fs) read_sequnlock_excl(&(fs)->seq)
#else
#define sonde_fs_lock(fs) spin_lock(&(fs)->lock)
#define sonde_fs_unlock(fs) spin_unlock(&(fs)->lock)
#endif

/* Since 7.0 do_coredump() has another name. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define SONDE_NAME_COREDUMP "vfs_coredump"
#else
#define SONDE_NAME_COREDUMP "do_coredump"
#endif

/* A stopped thread must not keep the machine from suspending (6.1). */
#ifdef TASK_FREEZABLE
#define SONDE_TASK_STOP (TASK_KILLABLE | TASK_FREEZABLE)
#else
#define SONDE_TASK_STOP TASK_KILLABLE
#endif

/* Threads that never return to user mode cannot be traced. */
#ifdef PF_USER_WORKER
#define SONDE_PF_KERNEL (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)
#else
#define SONDE_PF_KERNEL (PF_KTHREAD | PF_IO_WORKER)
#endif

#endif
