// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments of user functions, by the locations that their tap has
 *
 * kmod/shared/location.h has the theory. A firing knows the number of its tap,
 * not the tap: a deferred firing may run after the tap has gone. Then its
 * arguments cannot be read any more.
 */
#include <linux/rcupdate.h>
#include <linux/xarray.h>

#include "kmod/arch.h"
#include "kmod/core/hooks.h"
#include "kmod/device/fire.h"
#include "kmod/device/session.h"
#include "kmod/shared/locate.h"

static void (*load_vectors)(void) __ro_after_init;

/**
 * sonde_locations_init() - look up symbols that are not exported
 *
 * Context: Process context, module load.
 */
void sonde_locations_init(void)
{
	load_vectors = sonde_function_call("switch_fpu_return", "void()");
}

static int location_read_memory(void *context, u64 address, void *to,
				u32 length)
{
	return sonde_read_user(address, to, length);
}

static int location_read_vector(void *context, u32 number, void *to)
{
	if (!in_task() || (current->flags & PF_KTHREAD))
		return -1;
	return sonde_vector_register(number, to, load_vectors);
}

/**
 * sonde_read_argument() - read a part of an argument
 * @firing: of a user function
 * @address: sonde_is_argument()
 * @to: room for @length bytes
 * @length: number of bytes
 *
 * Context: Any but NMI; preemption is off, so the tap is not freed meanwhile.
 * Return: 0 or -1.
 */
int sonde_read_argument(struct sonde_firing *firing, u64 address, void *to,
			u32 length)
{
	u64 registers[SONDE_CFI_REGISTERS];
	struct sonde_location_state state = {
		.registers = registers,
		.read = location_read_memory,
		.vector = location_read_vector,
	};
	const struct sonde_armed *armed;
	int err = -1;

	if (!firing->start.located || !firing->regs ||
	    !sonde_is_native(firing->regs))
		return -1;
	sonde_fetch_frame(firing->regs, registers);
	state.thread_block = sonde_thread_block();
	rcu_read_lock();
	armed = xa_load(&firing->session->taps, firing->start.tap);
	if (armed && armed->locations)
		err = sonde_location_read(armed->locations,
					  armed->tap.arguments, address, to,
					  length, &state);
	rcu_read_unlock();
	return err ? -1 : 0;
}

/**
 * sonde_read_argument_text() - read an array of characters in an argument
 * @firing: of a user function
 * @address: sonde_is_argument()
 * @to: room for @max bytes
 * @max: at least 1
 *
 * The text ends at its NUL, or with the argument.
 *
 * Context: As sonde_read_argument().
 * Return: the length, or -1.
 */
int sonde_read_argument_text(struct sonde_firing *firing, u64 address, char *to,
			     u32 max)
{
	u32 length = 0;

	while (length + 1 < max &&
	       !sonde_read_argument(firing, address + length, &to[length], 1)) {
		if (!to[length])
			return length;
		length++;
	}
	to[length] = 0;
	return length || max == 1 ? (int)length : -1;
}
