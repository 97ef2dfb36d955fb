/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks that have a trampoline: sonde_tramp_NAME in tramp.S, which calls
 * sonde_hook_NAME. Included from C and assembly.
 */
#ifndef SONDE_TRAMPOLINES_H
#define SONDE_TRAMPOLINES_H

#define SONDE_TRAMPOLINES(X) \
	X(syscall_entry) X(syscall_exit) X(get_signal) X(dequeue_signal) \
	X(setup_done) X(signal_stop) X(new_task) X(exec) X(exit) X(death) \
	X(release) X(regfunc) X(unregfunc) X(probe_add) X(probe_add_prio) \
	X(probe_add_again) X(probe_remove)

#endif
