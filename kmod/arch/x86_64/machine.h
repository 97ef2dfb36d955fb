/* SPDX-License-Identifier: GPL-2.0 */
/*
 * x86-64
 *
 * Everything is inline, so a firing pays only for reading the register.
 */
#ifndef SONDE_X86_64_MACHINE_H
#define SONDE_X86_64_MACHINE_H

#include <linux/sched.h>
#include <linux/string.h>
#include <linux/thread_info.h>
#include <asm/msr.h>
#include <asm/ptrace.h>
#include <asm/segment.h>
#include <vdso/clocksource.h>

#include "kmod/shared/arch.h"

struct sonde_leave_state;

static __always_inline u64 sonde_pc(const struct pt_regs *regs)
{
	return regs->ip;
}

static __always_inline void sonde_set_pc(struct pt_regs *regs, unsigned long pc)
{
	regs->ip = pc;
}

static __always_inline u64 sonde_sp(const struct pt_regs *regs)
{
	return regs->sp;
}

static __always_inline u64 sonde_frame_pointer(const struct pt_regs *regs)
{
	return regs->bp;
}

/* Not 32-bit code. */
static __always_inline bool sonde_is_native(const struct pt_regs *regs)
{
	return user_64bit_mode((struct pt_regs *)regs);
}

/*
 * The argument of a function at its first instruction; @n is a constant, 0 to
 * 5.
 */
static __always_inline unsigned long
sonde_function_argument(const struct pt_regs *regs, unsigned int n)
{
	switch (n) {
	case 0: return regs->di;
	case 1: return regs->si;
	case 2: return regs->dx;
	case 3: return regs->cx;
	case 4: return regs->r8;
	default: return regs->r9;
	}
}

/* The return value, at the return. */
static __always_inline u64 sonde_function_result(const struct pt_regs *regs)
{
	return regs->ax;
}

/* Address of the arguments that are not in registers: after the return address. */
static __always_inline u64 sonde_stack_arguments(const struct pt_regs *regs)
{
	return regs->sp + 8;
}

/*
 * The arguments of a hooked function, as tramp.S saves them on the stack. A
 * hook returns the address to continue at: the body of the function, another
 * function, or 0 to return @ret instead of calling the function.
 */
struct sonde_args {
	unsigned long ret, reversed[6];
};

#define SONDE_ARG(args, n) ((args)->reversed[5 - (n)])

static __always_inline struct sonde_args
sonde_function_arguments(const struct pt_regs *regs)
{
	return (struct sonde_args){
		.reversed = { regs->r9, regs->r8, regs->cx,
			      regs->dx, regs->si, regs->di },
	};
}

/*
 * System calls. The number is -1 if the thread is not in a call. The kernel
 * takes the low half of the register; a program may leave anything in the
 * upper one.
 */
static __always_inline long sonde_call_number(const struct pt_regs *regs)
{
	return (int)regs->orig_ax;
}

static __always_inline void sonde_set_call_number(struct pt_regs *regs,
						  long number)
{
	regs->orig_ax = number;
}

static __always_inline u64 sonde_call_result(const struct pt_regs *regs)
{
	return regs->ax;
}

/* 32-bit calls have other numbers and pass arguments in other registers. */
static __always_inline bool sonde_call_is_compat(void)
{
#ifdef CONFIG_IA32_EMULATION
	return current_thread_info()->status & TS_COMPAT;
#else
	return false;
#endif
}

/* The six argument registers: of a system call, or if !@call of a function. */
static __always_inline void sonde_fetch_registers(const struct pt_regs *regs,
						  bool call, u64 *to)
{
	to[0] = regs->di;
	to[1] = regs->si;
	to[2] = regs->dx;
	to[3] = call ? regs->r10 : regs->cx;
	to[4] = regs->r8;
	to[5] = regs->r9;
}

static __always_inline void
sonde_fetch_compat_registers(const struct pt_regs *regs, u64 *to)
{
	to[0] = (u32)regs->bx;
	to[1] = (u32)regs->cx;
	to[2] = (u32)regs->dx;
	to[3] = (u32)regs->si;
	to[4] = (u32)regs->di;
	to[5] = (u32)regs->bp;
}

/* The path argument of the call: its first argument, or the second. */
static __always_inline u64 sonde_call_path(const struct pt_regs *regs,
					   bool second)
{
	if (sonde_call_is_compat())
		return (u32)(second ? regs->cx : regs->bx);
	return second ? regs->si : regs->di;
}

/* The names of the kernel functions that implement system calls. */
#define SONDE_NAME_OF_CALL(name) "__x64_sys_" name
#define SONDE_NAME_ALL_CALLS "x64_sys_call"
#define SONDE_NAME_COMPAT_CALLS "ia32_sys_call"

/* Numbers of 32-bit calls: asm/unistd.h has only those of 64-bit calls. */
enum {
	SONDE_COMPAT_BRK = 45, SONDE_COMPAT_OLD_MMAP = 90,
	SONDE_COMPAT_MUNMAP = 91, SONDE_COMPAT_MPROTECT = 125,
	SONDE_COMPAT_MREMAP = 163, SONDE_COMPAT_MMAP2 = 192,
	SONDE_COMPAT_PKEY_MPROTECT = 380,
};

/* D's uregs[number] of user mode. */
static __always_inline u64 sonde_user_register(const struct pt_regs *regs,
					       u32 number)
{
	static const u8 offsets[21] = {
#define AT(name) offsetof(struct pt_regs, name)
		AT(r15), AT(r14), AT(r13), AT(r12), AT(bp),  AT(bx), AT(r11),
		AT(r10), AT(r9),  AT(r8),  AT(ax),  AT(cx),  AT(dx), AT(si),
		AT(di),	 0,	  AT(ip),  AT(cs),  AT(flags), AT(sp), AT(ss),
#undef AT
	};
	u16 selector = 0;

	if (number == 15)
		return 0;
	if (number < ARRAY_SIZE(offsets))
		return *(const unsigned long *)((const char *)regs +
						offsets[number]);
	if (number == 24) /* the entry code does not change it */
		savesegment(gs, selector);
	return selector;
}

#define SONDE_NOP_INSN 0x90 /* the instruction at the site of a USDT probe */

/* In the order of DWARF's register numbers. */
static __always_inline void
sonde_fetch_frame(const struct pt_regs *regs, u64 *to)
{
	const u64 values[SONDE_CFI_REGISTERS] = {
		regs->ax, regs->dx,  regs->cx,	regs->bx,  regs->si,  regs->di,
		regs->bp, regs->sp,  regs->r8,	regs->r9,  regs->r10, regs->r11,
		regs->r12, regs->r13, regs->r14, regs->r15, regs->ip,
	};

	memcpy(to, values, sizeof(values));
}

/*
 * Sets the registers to those of the kernel function that returns through frame
 * pointer @frame.
 */
static __always_inline void sonde_set_frame(struct pt_regs *regs,
					    const unsigned long *frame)
{
	memset(regs, 0, sizeof(*regs));
	regs->bp = frame[0];
	regs->ip = frame[1];
	regs->sp = (unsigned long)(frame + 2);
	regs->cs = __KERNEL_CS;
}

/* The state at a function's first instruction, which is at @pc, for a walk from there. */
static __always_inline void sonde_set_entry(struct pt_regs *regs,
					    const struct pt_regs *from,
					    unsigned long pc)
{
	memset(regs, 0, sizeof(*regs));
	regs->bp = from->bp;
	regs->ip = pc;
	regs->sp = from->sp;
	regs->cs = __KERNEL_CS;
}

/* registers.c */
u64 sonde_thread_block(void);
int sonde_vector_register(u32 number, void *to, void (*load)(void));
void sonde_leave_fetch(const struct pt_regs *regs,
		       struct sonde_leave_state *state);

static __always_inline u64 sonde_flags_register(const struct pt_regs *regs)
{
	return regs->flags;
}

/* For a thread that does not run; user_disable_single_step() does the rest. */
static inline void sonde_clear_block_step(struct task_struct *task)
{
	clear_tsk_thread_flag(task, TIF_BLOCKSTEP);
}

/* The clock source of the vDSO, and the clock mode that selects it. */
#define SONDE_CLOCKMODE VDSO_CLOCKMODE_TSC
#define sonde_cycles() rdtsc_ordered()

#endif
