// SPDX-License-Identifier: GPL-2.0
#include <linux/irqflags.h>
#include <linux/mm.h> /* PAGE_SIZE, which <asm/fpu/types.h> needs */
#include <linux/string.h>
#include <asm/fpu/types.h>

#include "kmod/arch.h"
#include "kmod/shared/leave.h"

/**
 * sonde_leave_fetch() - get the registers that a jump's operand is made of
 * @regs: of user mode
 * @state: its registers and bases are filled in
 *
 * Context: The thread, at the jump.
 */
void sonde_leave_fetch(const struct pt_regs *regs,
		       struct sonde_leave_state *state)
{
	const u64 values[] = {
		regs->ax, regs->cx, regs->dx,  regs->bx,  regs->sp,  regs->bp,
		regs->si, regs->di, regs->r8,  regs->r9,  regs->r10, regs->r11,
		regs->r12, regs->r13, regs->r14, regs->r15,
	};

	BUILD_BUG_ON(sizeof(values) != sizeof(state->registers));
	memcpy(state->registers, values, sizeof(values));
	/* user space can change these without the kernel */
	state->fs_base = native_read_msr(MSR_FS_BASE);
	state->gs_base = native_read_msr(MSR_KERNEL_GS_BASE);
}

/**
 * sonde_thread_block() - the base of addresses relative to the thread
 *
 * Context: The thread.
 * Return: the address.
 */
u64 sonde_thread_block(void)
{
	return native_read_msr(MSR_FS_BASE);
}

/**
 * sonde_vector_register() - get the 16 low bytes of a vector register
 * @number: below 16
 * @to: room for them
 * @load: switch_fpu_return() of the kernel, or NULL
 *
 * The user's vector registers are in the processor, or were saved because the
 * kernel needed them or another thread ran; then they are loaded now, as they
 * would be at the return to user mode. Without interrupts nobody takes them
 * meanwhile.
 *
 * Context: The thread, in task context.
 * Return: 0 or -1.
 */
int sonde_vector_register(u32 number, void *to, void (*load)(void))
{
	struct fxregs_state saved __aligned(16);
	bool there = true;
	unsigned long flags;

	local_irq_save(flags);
	if (test_thread_flag(TIF_NEED_FPU_LOAD)) {
		there = load != NULL;
		if (there)
			load();
	}
	if (there)
		asm volatile("fxsaveq %0" : "=m"(saved));
	local_irq_restore(flags);
	if (!there)
		return -1;
	memcpy(to, (const u8 *)saved.xmm_space + 16 * number, 16);
	return 0;
}
