// SPDX-License-Identifier: GPL-2.0
/*
 * Probes: taps fire them, and they run their ECBs
 */
#include <linux/xarray.h>

#include "kmod/core/memory.h"
#include "kmod/device/account.h"
#include "kmod/device/programs.h"
#include "kmod/device/session.h"

/**
 * sonde_probe_get() - find or make a probe
 * @session: its lock is held
 * @id: any
 *
 * Context: Process context. May sleep.
 * Return: the probe; NULL: no memory.
 */
struct sonde_probe *sonde_probe_get(struct sonde_session *session, u32 id)
{
	struct sonde_probe *probe = xa_load(&session->probes, id);

	lockdep_assert_held(&session->lock);
	if (probe)
		return probe;
	probe = sonde_alloc_within(&session->account->requested,
				   SONDE_MEMORY_ECBS, sizeof(*probe),
				   GFP_KERNEL);
	if (!probe)
		return NULL;
	probe->id = id;
	if (xa_err(xa_store(&session->probes, id, probe, GFP_KERNEL_ACCOUNT))) {
		sonde_free(probe);
		return NULL;
	}
	return probe;
}
