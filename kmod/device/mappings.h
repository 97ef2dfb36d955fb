/* SPDX-License-Identifier: GPL-2.0 */
/* mappings.c: files that programs map */
#ifndef SONDE_MAPPINGS_H
#define SONDE_MAPPINGS_H

#include "kmod/device/session.h"

struct sonde_finder_map;

void sonde_mappings_image(void *data, const struct sonde_finder_map *map);
bool sonde_mappings_end(void *data);
bool sonde_mappings_had(void *data, const struct sonde_finder_map *map);
void sonde_mappings_missed(void *data, unsigned int count);
int sonde_mappings_follow(struct sonde_session *session);
int sonde_mappings_keep(struct sonde_session *session);
int sonde_mappings_follow_files(struct sonde_session *session);

#endif
