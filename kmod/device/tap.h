/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Backends of taps
 *
 * Each kind of tap has a backend, a table of operations. taps.c arms and
 * disarms taps only through it.
 *
 *   points.c        tracepoints: threads, exec, signals
 *   syscall_taps.c  system calls
 *   uprobe.c        user programs
 *   timer.c         timers
 *   named.c         tracepoints that a tap names
 *   functions.c     functions of the kernel
 */
#ifndef SONDE_TAP_H
#define SONDE_TAP_H

#include "kmod/device/session.h"

/* The file of a user tap, and of the taps after it that have no path of their own. */
struct sonde_uprobe_file {
	struct file *file; /* NULL: none */
	struct inode *inode;
	char *path;
};

/* One request to arm taps. */
struct sonde_arming {
	const struct sonde_tap_ops *ops; /* of the previous tap */
	struct sonde_uprobe_file file; /* of the previous tap */
	u32 left_out; /* number of taps that never fire, because the kernel cannot probe there */
	char first[SONDE_WHY]; /* the message for the user about the first of them */
};

/**
 * struct sonde_tap_ops - the backend of some kinds of taps
 * @has_file: its taps have a file
 * @kinds: the kinds of its taps, one bit each
 * @check: whether a tap can be armed; if not, fills in the message for the user
 * @arm: arms a tap, which may fire at once
 * @disarm: disarms a tap; it may still fire until @wait, and RCU
 * @hold: passes it to the engines of held taps, or takes it back; NULL: no
 *	thread can be held there
 * @leave: the request continues with taps of another kind, or is over
 * @update: installs the hooks that the session's taps need, and removes others
 * @retarget: the set of traced tasks has changed
 * @wait: waits until disarmed taps do not fire any more
 * @free: frees the resources of a tap, after that
 * @close: removes all hooks: no tap is left
 *
 * All functions may sleep and are called under the session's lock; @wait
 * and @free also without it, when the session is closed. Those from @hold on
 * may be NULL.
 */
struct sonde_tap_ops {
	bool has_file;
	u32 kinds;
	int (*check)(struct sonde_session *session, const struct sonde_tap *tap,
		     char *why);
	int (*arm)(struct sonde_armed *armed, const char *path,
		   struct sonde_arming *arming, char *why);
	void (*disarm)(struct sonde_armed *armed);
	int (*hold)(struct sonde_armed *armed, bool held);
	void (*leave)(struct sonde_arming *arming);
	int (*update)(struct sonde_session *session, char *why);
	int (*retarget)(struct sonde_session *session, char *why);
	void (*wait)(void);
	void (*free)(struct sonde_armed *armed);
	void (*close)(struct sonde_session *session);
};

extern const struct sonde_tap_ops sonde_point_taps;
extern const struct sonde_tap_ops sonde_syscall_taps;
extern const struct sonde_tap_ops sonde_user_taps;
extern const struct sonde_tap_ops sonde_timer_taps;
extern const struct sonde_tap_ops sonde_named_taps;
extern const struct sonde_tap_ops sonde_function_taps;

void sonde_points_init(void);
void sonde_uprobes_init(void);

/**
 * sonde_tap_check_perfmon() - check whether the session may have such taps
 * @session: any
 * @why: the message for the user if not
 *
 * Context: Any.
 * Return: 0 or -EPERM.
 */
static inline int
sonde_tap_check_perfmon(const struct sonde_session *session, char *why)
{
	if (session->perfmon)
		return 0;
	return sonde_refuse(why, -EPERM,
			    "user functions and samples need CAP_PERFMON in the kernel module; another source does without");
}

/* sites.c */
int sonde_site_check(struct sonde_session *session, const struct sonde_tap *tap,
		     char *why);
int sonde_site_arm(struct sonde_armed *armed, const char *path,
		   struct sonde_arming *arming, char *why);
void sonde_site_disarm(struct sonde_armed *armed);
int sonde_site_hold(struct sonde_armed *armed, bool held);

#endif
