/* SPDX-License-Identifier: GPL-2.0 */
/* account.c: what all sessions of a user may take together */
#ifndef SONDE_ACCOUNT_H
#define SONDE_ACCOUNT_H

#include <linux/types.h>
#include <linux/uidgid.h>

#include "kmod/core/memory.h"

/* Of a member: shared by all of his sessions. Of root: a session's own. */
struct sonde_account {
	struct list_head node; /* of the members' */
	kuid_t user;
	u32 ref; /* sessions */
	struct sonde_purse requested; /* programs, ECBs, taps */
	struct sonde_purse fired; /* for firings, events, children */
};

struct sonde_account *sonde_account_get(kuid_t user, bool member);
void sonde_account_put(struct sonde_account *account);

#endif
