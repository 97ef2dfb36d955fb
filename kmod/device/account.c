// SPDX-License-Identifier: GPL-2.0
/*
 * Accounts: what all sessions of a user may take together
 *
 * Limits of a session would be no limits of a user who opens several. So a
 * member's sessions share an account, from the first one that he opens until
 * the memory of the last one is freed: a session that is being closed, or whose
 * task work a held thread has yet to run, still counts. Sessions that may trace
 * every task have an account each, so that none of root's tools takes the memory
 * of another.
 */
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "kmod/device/account.h"

/*
 * For each user without privileges: together they may cost as much at one event
 * as one of root's.
 */
#define SESSIONS_MAX 10u

static DEFINE_SPINLOCK(accounts_lock); /* protects accounts, and their ref */
static LIST_HEAD(accounts);

static struct sonde_account *account_make(kuid_t user, bool member)
{
	struct sonde_account *account =
		sonde_alloc(SONDE_MEMORY_SESSIONS, sizeof(*account));

	if (!account)
		return NULL;
	INIT_LIST_HEAD(&account->node);
	account->user = user;
	account->ref = 1;
	account->requested.most = member ? 64l << 20 : LONG_MAX;
	account->fired.most = member ? 16l << 20 : 256l << 20;
	return account;
}

static struct sonde_account *account_find(kuid_t user)
{
	struct sonde_account *account;

	lockdep_assert_held(&accounts_lock);
	list_for_each_entry(account, &accounts, node)
		if (uid_eq(account->user, user))
			return account;
	return NULL;
}

/* The member's account: @fresh, if he has none. Return: it, or -EMFILE. */
static struct sonde_account *account_join(struct sonde_account *fresh)
{
	struct sonde_account *account;

	spin_lock_irq(&accounts_lock);
	account = account_find(fresh->user);
	if (!account) {
		list_add(&fresh->node, &accounts);
		account = fresh;
	} else if (account->ref < SESSIONS_MAX) {
		account->ref++;
	} else {
		account = ERR_PTR(-EMFILE);
	}
	spin_unlock_irq(&accounts_lock);
	return account;
}

/**
 * sonde_account_get() - the account for one more session
 * @user: who opens it
 * @member: he may not trace every task
 *
 * Context: Process context. May sleep.
 * Return: the account, which sonde_account_put() gives back; -ENOMEM; -EMFILE:
 * he has too many sessions.
 */
struct sonde_account *sonde_account_get(kuid_t user, bool member)
{
	struct sonde_account *fresh = account_make(user, member), *account;

	if (!fresh)
		return ERR_PTR(-ENOMEM);
	if (!member)
		return fresh;
	account = account_join(fresh);
	if (account != fresh)
		sonde_free(fresh);
	return account;
}

/**
 * sonde_account_put() - a session's memory is freed
 * @account: of the session
 *
 * Context: Any but NMI.
 */
void sonde_account_put(struct sonde_account *account)
{
	unsigned long flags;
	bool last;

	spin_lock_irqsave(&accounts_lock, flags);
	last = !--account->ref;
	if (last)
		list_del(&account->node);
	spin_unlock_irqrestore(&accounts_lock, flags);
	if (last)
		sonde_free(account);
}
