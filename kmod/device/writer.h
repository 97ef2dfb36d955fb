/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The writing end of a ring, as a firing uses it
 *
 * The part that every firing executes is here, inlined. buffer.c has the cases
 * where the end of the ring is near, the ring is full, or its reader must be
 * woken, and describes how the ring works.
 */
#ifndef SONDE_WRITER_H
#define SONDE_WRITER_H

#include <linux/percpu.h>

#include "kmod/device/buffer.h"
#include "kmod/device/clock.h"
#include "kmod/device/session.h"

/*
 * Begins a firing on this CPU; preemption is off until sonde_writer_end().
 * Returns false if one is already running here, or the CPU has no ring.
 */
static __always_inline bool sonde_writer_begin(struct sonde_writer *writer)
{
	if (unlikely(writer->busy))
		return false;
	writer->busy = true;
	barrier(); /* an interrupt sees busy before anything else */
	writer->sequence++;
	return true;
}

/* The time of the firing, read when the first program needs it. */
static __always_inline u64 sonde_writer_time(struct sonde_writer *writer)
{
	WRITE_ONCE(writer->ring->low_water, writer->last_time);
	smp_mb(); /* W3: low_water before the clock; pairs with R3 */
	writer->last_time = sonde_clock();
	return writer->last_time;
}

/* @timed: sonde_writer_time() was called. */
static __always_inline void sonde_writer_end(struct sonde_writer *writer,
					     bool timed)
{
	if (timed) {
		/* W4: a reader that sees us idle also sees the head; pairs with R4 */
		smp_store_release(&writer->ring->low_water, SONDE_IDLE);
		if (unlikely((s64)(writer->head - writer->wake_at) >= 0))
			sonde_writer_wake(writer);
	}
	barrier(); /* busy until everything is done */
	writer->busy = false;
}

/*
 * Reserves room for a record of at most @bytes, a multiple of 8: in the ring,
 * or outside of it if the ring may be too full. A record that is not committed
 * costs nothing.
 */
static __always_inline struct sonde_record *
sonde_writer_reserve(struct sonde_writer *writer, u32 bytes)
{
	if (unlikely(bytes > writer->room))
		return sonde_writer_make_room(writer, bytes);
	return (void *)writer->next;
}

/* Publishes the reserved record, of @bytes, a multiple of 8. */
static __always_inline void sonde_writer_commit(struct sonde_writer *writer,
						struct sonde_record *record,
						u32 bytes)
{
	if (unlikely((u8 *)record != writer->next)) {
		sonde_writer_put(writer, bytes);
		return;
	}
	writer->next += bytes;
	writer->room -= bytes;
	writer->head += bytes;
	writer->records++;
	/* W1: the record before head; pairs with R1 */
	smp_store_release(&writer->ring->head, writer->head);
}

#endif
