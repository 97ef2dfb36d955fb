/* SPDX-License-Identifier: GPL-2.0 */
/* events.c: events for the reader of a session */
#ifndef SONDE_EVENTS_H
#define SONDE_EVENTS_H

#include "kmod/device/session.h"

struct file;
struct poll_table_struct;

void sonde_event(struct sonde_session *session, u32 kind, u32 pid, u64 value);
bool sonde_event_text(struct sonde_session *session,
		      const struct sonde_event *event, const char *text);
void sonde_events_lose(struct sonde_session *session, u32 count);
void sonde_event_wake(struct sonde_session *session);
ssize_t sonde_events_read(struct file *file, char __user *to, size_t room,
			  loff_t *position);
__poll_t sonde_events_poll(struct file *file,
			   struct poll_table_struct *table);
void sonde_events_destroy(struct sonde_session *session);

#endif
