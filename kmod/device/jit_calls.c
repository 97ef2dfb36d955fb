// SPDX-License-Identifier: GPL-2.0
/*
 * C functions that native code calls. Each has BPF's five arguments; the first
 * is the firing, except for divisions.
 */
#include "kmod/arch.h"
#include "kmod/device/fire.h"
#include "kmod/device/jit.h"
#include "kmod/device/kernel.h"
#include "kmod/device/session.h"

static struct sonde_firing *jit_firing_of(u64 context)
{
	return (struct sonde_firing *)(unsigned long)context;
}

u64 sonde_jit_variable(u64 context, u64 number, u64 r3, u64 r4, u64 r5)
{
	return sonde_variable(jit_firing_of(context), number);
}

u64 sonde_jit_time(u64 context, u64 r2, u64 r3, u64 r4, u64 r5)
{
	return sonde_firing_time(jit_firing_of(context));
}

u64 sonde_jit_register(u64 context, u64 number, u64 r3, u64 r4, u64 r5)
{
	return sonde_register(jit_firing_of(context), number);
}

u64 sonde_jit_descends(u64 context, u64 pid, u64 r3, u64 r4, u64 r5)
{
	return sonde_descends(jit_firing_of(context), pid);
}

u64 sonde_jit_divide_signed(u64 a, u64 b, u64 r3, u64 r4, u64 r5)
{
	return sonde_dif_divide(a, b);
}

u64 sonde_jit_divide(u64 a, u64 b, u64 r3, u64 r4, u64 r5)
{
	return b ? a / b : 0;
}

u64 sonde_jit_modulo_signed(u64 a, u64 b, u64 r3, u64 r4, u64 r5)
{
	return sonde_dif_modulo(a, b);
}

u64 sonde_jit_modulo(u64 a, u64 b, u64 r3, u64 r4, u64 r5)
{
	return b ? a % b : 0;
}

/* A load failed: only the first of several counts. */
static u64 jit_note_fault(struct sonde_firing *firing, u64 address)
{
	if (!firing->faulted)
		firing->fault_address = address;
	firing->faulted = 1;
	return 0;
}

u64 sonde_jit_load(u64 context, u64 address, u64 bytes, u64 r4, u64 r5)
{
	struct sonde_firing *firing = jit_firing_of(context);
	u64 value = 0; /* little endian: the other bytes stay 0 */

	if (!sonde_load(firing, address, &value, bytes))
		return value;
	return jit_note_fault(firing, address);
}

u64 sonde_jit_load_kernel(u64 context, u64 address, u64 bytes, u64 r4, u64 r5)
{
	u64 value = 0;

	if (!sonde_read_kernel(address, &value, bytes))
		return value;
	return jit_note_fault(jit_firing_of(context), address);
}

/* A branch or FAIL with a pending fault: the record has only the fault. */
u64 sonde_jit_predicate_fault(u64 context, u64 r2, u64 r3, u64 r4, u64 r5)
{
	struct sonde_firing *firing = jit_firing_of(context);

	struct sonde_record *record = firing->record;

	record->size = sizeof(*record) + 8;
	record->flags = SONDE_RECORD_PREDICATE_FAULT;
	record->slots = 1;
	record->faults = 1;
	record->slot[0] = firing->fault_address;
	return sizeof(*record) + 8;
}

static void jit_fault_slot(struct sonde_firing *firing, u32 slot, u64 address)
{
	firing->faults |= 1ull << slot;
	firing->record->slot[slot] = address;
}

/* A capture takes a pending fault over. */
u64 sonde_jit_take_fault(u64 context, u64 slot, u64 r3, u64 r4, u64 r5)
{
	struct sonde_firing *firing = jit_firing_of(context);

	jit_fault_slot(firing, slot, firing->fault_address);
	firing->faulted = 0;
	return 0;
}

static u8 *jit_span_start(struct sonde_firing *firing)
{
	return (u8 *)firing->record + firing->used;
}

/* Makes a span of @length of the @stored bytes at jit_span_start(). */
static void jit_end_span(struct sonde_firing *firing, u32 slot, u32 length,
			 u32 stored)
{
	u32 whole = ALIGN(stored, 8);

	memset(jit_span_start(firing) + stored, 0, whole - stored);
	firing->record->slot[slot] = SONDE_SPAN(firing->used, length);
	firing->used += whole;
}

/* Ends a text of @length bytes; if negative, a fault. */
static u64 jit_end_text(struct sonde_firing *firing, u32 slot, int length,
			u32 max, u64 address)
{
	if (length < 0) {
		jit_fault_slot(firing, slot, address);
		return 0;
	}
	length = min_t(u32, length, max - 1);
	jit_span_start(firing)[length] = 0;
	jit_end_span(firing, slot, length, length + 1);
	return 0;
}

/* 0x80 in the lowest byte that is 0; higher bits are undefined. */
static u64 jit_zero_bytes(u64 word)
{
	return (word - 0x0101010101010101ull) & ~word & 0x8080808080808080ull;
}

/* Execname is short and used often: two words, no loop. */
u64 sonde_jit_execname(u64 context, u64 slot, u64 r3, u64 r4, u64 r5)
{
	struct sonde_firing *firing = jit_firing_of(context);
	struct sonde_record *record = firing->record;
	u32 used = firing->used;
	u64 *to = (u64 *)((u8 *)record + used);
	u64 low, high, zeros;
	u32 length;

	BUILD_BUG_ON(TASK_COMM_LEN != 16);
	memcpy(&low, firing->task->comm, sizeof(low));
	memcpy(&high, firing->task->comm + sizeof(low), sizeof(high));
	zeros = jit_zero_bytes(low);
	if (zeros) {
		length = __ffs64(zeros) / 8;
		to[0] = low & ((1ull << 8 * length) - 1);
		record->slot[slot] = SONDE_SPAN(used, length);
		firing->used = used + 8;
		return 0;
	}
	high &= ~0ull >> 8; /* another task may be changing it */
	length = __ffs64(jit_zero_bytes(high)) / 8;
	to[0] = low;
	to[1] = high & ((1ull << 8 * length) - 1);
	record->slot[slot] = SONDE_SPAN(used, 8 + length);
	firing->used = used + 16;
	return 0;
}

static const struct sonde_dif_insn *jit_insn_of(u64 address)
{
	return (const struct sonde_dif_insn *)(unsigned long)address;
}

u64 sonde_jit_text(u64 context, u64 insn, u64 a, u64 b, u64 r5)
{
	struct sonde_firing *firing = jit_firing_of(context);
	const struct sonde_dif_insn *in = jit_insn_of(insn);
	u32 max = sonde_dif_text_max(in->i);
	int length = sonde_text(firing, in->i, a,
				(char *)jit_span_start(firing), max);

	return jit_end_text(firing, in->d, length, max, 0);
}

u64 sonde_jit_string(u64 context, u64 insn, u64 a, u64 b, u64 r5)
{
	struct sonde_firing *firing = jit_firing_of(context);
	const struct sonde_dif_insn *in = jit_insn_of(insn);
	u32 max = in->op == SONDE_DIF_CAPSTRN ? min_t(u64, b, in->i) : in->i;
	char *to = (char *)jit_span_start(firing);
	int length = 0;

	if (in->op == SONDE_DIF_CAPKSTR)
		length = sonde_read_kernel_text(a, to, max + 1);
	else if (max)
		length = sonde_load_text(firing, a, to, max + 1);
	return jit_end_text(firing, in->d, length, max + 1, a);
}

u64 sonde_jit_memory(u64 context, u64 insn, u64 a, u64 b, u64 r5)
{
	struct sonde_firing *firing = jit_firing_of(context);
	const struct sonde_dif_insn *in = jit_insn_of(insn);
	u8 *to = jit_span_start(firing);
	int err = b > in->i;

	if (b && !err)
		err = in->op == SONDE_DIF_CAPKMEM ?
			      sonde_read_kernel(a, to, b) :
			      sonde_load(firing, a, to, b);
	if (err)
		jit_fault_slot(firing, in->d, a);
	else
		jit_end_span(firing, in->d, b, b);
	return 0;
}

u64 sonde_jit_stack(u64 context, u64 insn, u64 a, u64 b, u64 r5)
{
	struct sonde_firing *firing = jit_firing_of(context);
	const struct sonde_dif_insn *in = jit_insn_of(insn);
	int frames = sonde_capture_stack(firing, (u64 *)jit_span_start(firing),
					 in->i);

	jit_end_span(firing, in->d, 8 * frames, 8 * frames);
	return 0;
}

/*
 * Finds where the native code will return to: eBPF's frame begins with the
 * caller's frame pointer and the return address. @helper is the frame of the
 * function that the native code has called.
 */
static void jit_find_caller(struct pt_regs *regs, const unsigned long *helper)
{
	sonde_set_frame(regs, (const unsigned long *)helper[0]);
}

u64 sonde_jit_kernel_stack(u64 context, u64 insn, u64 a, u64 b, u64 r5)
{
	struct sonde_firing *firing = jit_firing_of(context);
	const struct sonde_dif_insn *in = jit_insn_of(insn);
	struct pt_regs regs;
	u32 bytes;

	jit_find_caller(&regs, __builtin_frame_address(0));
	bytes = 8 * sonde_walk_kernel(firing, &regs,
				      (u64 *)jit_span_start(firing), in->i);
	jit_end_span(firing, in->d, bytes, bytes);
	return 0;
}

u64 sonde_jit_caller(u64 context, u64 r2, u64 r3, u64 r4, u64 r5)
{
	struct pt_regs regs;

	jit_find_caller(&regs, __builtin_frame_address(0));
	return sonde_kernel_caller(jit_firing_of(context), &regs);
}

u64 sonde_jit_depth(u64 context, u64 r2, u64 r3, u64 r4, u64 r5)
{
	struct pt_regs regs;

	jit_find_caller(&regs, __builtin_frame_address(0));
	return sonde_kernel_depth(jit_firing_of(context), &regs);
}
