/* SPDX-License-Identifier: GPL-2.0 */
/* device.c: events, and what it knows of sessions and users */
#ifndef SONDE_EVENTS_H
#define SONDE_EVENTS_H

#include "kmod/device/session.h"

struct seq_file;

void sonde_sessions_show(struct seq_file *to);
void sonde_event(struct sonde_session *session, u32 kind, u32 pid, u64 value);
bool sonde_event_text(struct sonde_session *session,
		      const struct sonde_event *event, const char *text);
void sonde_events_lose(struct sonde_session *session, u32 count);
void sonde_event_wake(struct sonde_session *session);
bool sonde_may_access(struct task_struct *task);

#endif
