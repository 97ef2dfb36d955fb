/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks that have a trampoline: sonde_tramp_NAME in tramp.S, which calls
 * sonde_hook_NAME. C and assembly define TRAMPOLINE, and include this.
 */
#ifndef SONDE_TRAMPOLINES_H
#define SONDE_TRAMPOLINES_H

TRAMPOLINE(syscall_entry);
TRAMPOLINE(syscall_exit);
TRAMPOLINE(get_signal);
TRAMPOLINE(dequeue_signal);
TRAMPOLINE(setup_done);
TRAMPOLINE(signal_stop);
TRAMPOLINE(new_task);
TRAMPOLINE(exec);
TRAMPOLINE(replaces);
TRAMPOLINE(becomes);
TRAMPOLINE(ends);
TRAMPOLINE(exit);
TRAMPOLINE(death);
TRAMPOLINE(release);
TRAMPOLINE(regfunc);
TRAMPOLINE(unregfunc);
TRAMPOLINE(probe_add);
TRAMPOLINE(probe_add_prio);
TRAMPOLINE(probe_add_again);
TRAMPOLINE(probe_remove);

#endif
