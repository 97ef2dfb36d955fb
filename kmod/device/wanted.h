/* SPDX-License-Identifier: GPL-2.0 */
/* wanted.c: files that a session follows by wildcards */
#ifndef SONDE_WANTED_H
#define SONDE_WANTED_H

#include "kmod/device/session.h"

int sonde_wanted_follow(struct sonde_session *session, const char *wildcard,
			u64 length, char *why);
bool sonde_wanted_is_news(struct sonde_session *session, const char *path,
			  const struct sonde_file_key *key);
void sonde_wanted_forget(struct sonde_session *session,
			 const struct sonde_file_key *key);
void sonde_wanted_destroy(struct sonde_session *session);

#endif
