// SPDX-License-Identifier: GPL-2.0
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
