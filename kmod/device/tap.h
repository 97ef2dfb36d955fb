/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a tap stands on
 *
 * taps.c arms and disarms, and knows no more of it than this: each kind of tap has
 * a backend, a table of operations.
 *
 *   points.c   tracepoints: threads, exec, signals
 *   syscalls.c    system calls
 *   uprobe.c   user programs
 *   timer.c    timers
 */
#ifndef SONDE_TAP_H
#define SONDE_TAP_H

#include "kmod/device/session.h"

/* The file of a user tap, and of those behind it that name none. */
struct sonde_uprobe_file {
	struct file *file; /* NULL: none */
	struct inode *inode;
	char *path;
};

/* One request to arm taps. */
struct sonde_arming {
	const struct sonde_tap_ops *ops; /* of the tap before */
	struct sonde_uprobe_file file; /* of the tap before */
	u32 left_out; /* taps that never fire: the kernel cannot probe there */
	char first[SONDE_WHY]; /* what to tell the user of the first */
};

/**
 * struct sonde_tap_ops - what a kind of tap stands on
 * @has_file: its taps name a file
 * @takes: whether taps of this kind are its
 * @check: whether a tap can be armed, else what to tell the user
 * @arm: arms a tap, which may fire at once
 * @disarm: takes it out; it may still fire until @wait, and RCU
 * @hold: gives it to the engines of held taps, or takes it back; NULL: no thread
 *	can be held there
 * @leave: the request goes on with taps of another kind, or is over
 * @update: has the hooks that the session's taps need, and no others
 * @retarget: whom the session traces has changed
 * @wait: waits until nothing that was taken out fires any more
 * @free: frees what a tap has had, after that
 * @close: gives all hooks back: no tap is left
 *
 * All but @takes are called under the session's lock, @wait and @free also without
 * it when it is closed, and may sleep. Those from @hold on may be NULL.
 */
struct sonde_tap_ops {
	bool has_file;
	bool (*takes)(enum sonde_tap_kind kind);
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

/**
 * sonde_tap_check_perfmon() - may the session have taps of this kind?
 * @session: any
 * @why: what to tell the user if not
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
