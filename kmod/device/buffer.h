/* SPDX-License-Identifier: GPL-2.0 */
/* buffer.c: the rings, one per CPU */
#ifndef SONDE_BUFFER_H
#define SONDE_BUFFER_H

#include "kmod/device/session.h"

struct vm_area_struct;

int sonde_buffers_create(struct sonde_session *session, u64 bytes, u32 policy,
			 char *why);
void sonde_buffers_cpu_up(struct sonde_session *session, unsigned int cpu);
int sonde_buffers_scratch(struct sonde_session *session, u32 bytes);
void sonde_buffers_destroy(struct sonde_session *session);
int sonde_buffers_mmap(struct sonde_session *session,
		       struct vm_area_struct *vma);
void sonde_buffers_count(struct sonde_session *session,
			 struct sonde_statistics *statistics);
void sonde_writer_refuse(struct sonde_session *session,
			 struct sonde_writer *writer, u32 records);
struct sonde_record *sonde_writer_make_room(struct sonde_writer *writer,
					    u32 bytes);
void sonde_writer_put(struct sonde_writer *writer, u32 bytes);
void sonde_writer_urge(struct sonde_writer *writer);
void sonde_writer_wake(struct sonde_writer *writer);
void sonde_writer_drop(struct sonde_writer *writer, u64 records);

#endif
