// SPDX-License-Identifier: GPL-2.0
/*
 * Per-CPU rings: the writing end
 *
 * What every firing does is in writer.h; this is what few do. The layout and the
 * protocol with the reader are those of kmod/shared/record.h; runtime/buffer/ring.h has the theory, and the names of
 * the barriers (W1 to W4, R1 to R4). What is different here:
 *
 * A firing runs with preemption off, so its CPU's writer is its own, but for
 * interrupts. One that fires a probe while a firing is under way finds the
 * writer busy, records nothing, and counts one drop for each ECB. We refused
 * to keep interrupts off instead: a firing may copy kilobytes.
 *
 * low_water is the time of this CPU's last firing, not the present time: it is
 * as true a bound, and saves a second look at the clock. A firing that no
 * program has kept and none has asked for the time never looks at it.
 *
 *   last_time -> low_water   smp_mb (W3)   clock -> timestamp ... IDLE (W4)
 *
 * The reader can write to the whole mapping. head, drops and sizes are kept
 * here, nothing is read back from the ring but the tail, and a tail that cannot
 * be true is ignored. So a hostile reader only harms what it reads.
 *
 * A record that may not fit is made outside of the ring, and squeezed in or
 * dropped when its size is known: a program whose filter says no never counts.
 * The reader is woken by irq_work, from any context, when a quarter is full,
 * and not again until it has moved; wake_at says when to look next.
 *
 * Rings are made for the CPUs that are present then. One that is plugged in
 * later has none: its records are counted as drops. One that goes offline keeps
 * its ring, with what is in it.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "kmod/session.h"
#include "kmod/writer.h"

static void wake_reader(struct irq_work *work)
{
	struct sonde_writer *writer =
		container_of(work, struct sonde_writer, wake);

	sonde_event_wake(writer->session);
}

static void put_header(struct sonde_writer *writer, u32 number)
{
	struct sonde_ring *ring = writer->ring;

	ring->magic = SONDE_RING_MAGIC;
	ring->size = writer->size;
	ring->writer = number;
	ring->low_water = SONDE_IDLE;
}

static int make_ring(struct sonde_session *session, unsigned int cpu, u64 size)
{
	struct sonde_writer *writer = per_cpu_ptr(session->writers, cpu);

	writer->session = session;
	writer->size = size;
	writer->woken_at = U64_MAX;
	writer->wake_at = size / 4;
	writer->cpu = cpu;
	init_irq_work(&writer->wake, wake_reader);
	writer->path = (char *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	writer->ring = vmalloc_user(SONDE_RING_DATA + size);
	if (session->scratch_size) {
		writer->scratch = vzalloc(session->scratch_size);
		writer->scratch_size = session->scratch_size;
	}
	if (!writer->path || !writer->ring ||
	    (session->scratch_size && !writer->scratch))
		return -ENOMEM;
	writer->data = (u8 *)writer->ring + SONDE_RING_DATA;
	writer->next = writer->data;
	writer->room = size;
	put_header(writer, cpu);
	writer->busy = false;
	return 0;
}

static void free_writers(struct sonde_session *session,
			 struct sonde_writer __percpu *writers)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct sonde_writer *writer = per_cpu_ptr(writers, cpu);

		if (!writer->session)
			continue;
		irq_work_sync(&writer->wake);
		vfree(writer->ring);
		vfree(writer->scratch);
		free_page((unsigned long)writer->path);
	}
	free_percpu(writers);
	kfree(session->rings);
	session->rings = NULL;
	session->ring_count = 0;
}

static bool too_much(u64 bytes, unsigned int cpus)
{
	return bytes > ((u64)totalram_pages() << PAGE_SHIFT) / 4 / cpus;
}

/**
 * sonde_buffers_create() - make the session's rings
 * @session: a session without rings; its lock is held
 * @bytes: of data a ring; rounded up to a power of two, at least a page
 *
 * Context: Process context. May sleep.
 * Return: the number of rings, -EEXIST there are some, -EINVAL more than 1 GiB,
 * -ENOMEM (also where all of them would take a quarter of the memory).
 */
int sonde_buffers_create(struct sonde_session *session, u64 bytes)
{
	struct sonde_writer __percpu *writers;
	unsigned int cpu;
	u32 count = 0;
	int err = 0;
	u64 size;

	lockdep_assert_held(&session->lock);
	if (session->writers)
		return -EEXIST;
	if (bytes > SONDE_RING_MAX)
		return -EINVAL;
	size = roundup_pow_of_two(max(bytes, SONDE_RING_MIN));
	if (too_much(size, num_present_cpus()))
		return -ENOMEM;
	session->rings = kcalloc(nr_cpu_ids, sizeof(*session->rings),
				 GFP_KERNEL_ACCOUNT);
	writers = alloc_percpu_gfp(struct sonde_writer, GFP_KERNEL_ACCOUNT);
	if (!session->rings || !writers) {
		kfree(session->rings);
		free_percpu(writers);
		session->rings = NULL;
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu)
		per_cpu_ptr(writers, cpu)->busy = true; /* until it has a ring */
	session->ring_size = size;
	session->writers = writers;
	for_each_present_cpu(cpu) {
		err = make_ring(session, cpu, size);
		if (err)
			break;
		session->rings[count++] = per_cpu_ptr(writers, cpu);
	}
	if (err) {
		session->writers = NULL; /* no ECB before the rings */
		free_writers(session, writers);
		return err;
	}
	/* the rings before their number; pairs with sonde_buffers_mmap() */
	smp_store_release(&session->ring_count, count);
	return count;
}

/**
 * sonde_buffers_scratch() - see that a record of @bytes can be made anywhere
 * @session: its lock is held
 * @bytes: the largest record of a program
 *
 * Context: Process context. May sleep.
 * Return: 0 or -ENOMEM.
 */
int sonde_buffers_scratch(struct sonde_session *session, u32 bytes)
{
	void **fresh;
	u32 n;

	lockdep_assert_held(&session->lock);
	if (bytes <= session->scratch_size)
		return 0;
	bytes = roundup_pow_of_two(max(bytes, 1024u));
	fresh = kcalloc(session->ring_count, sizeof(*fresh), GFP_KERNEL);
	if (!fresh)
		return -ENOMEM;
	for (n = 0; n < session->ring_count; n++) {
		fresh[n] = vzalloc(bytes);
		if (!fresh[n])
			goto out_free;
	}
	for (n = 0; n < session->ring_count; n++) {
		void *old = session->rings[n]->scratch;

		WRITE_ONCE(session->rings[n]->scratch, fresh[n]);
		session->rings[n]->scratch_size = bytes;
		fresh[n] = old;
	}
	if (session->ring_count)
		synchronize_rcu();
	session->scratch_size = bytes;
	for (n = 0; n < session->ring_count; n++)
		vfree(fresh[n]);
	kfree(fresh);
	return 0;

out_free:
	while (n--)
		vfree(fresh[n]);
	kfree(fresh);
	return -ENOMEM;
}

/**
 * sonde_buffers_destroy() - free the rings
 * @session: nothing of it fires any more, nobody has them mapped
 *
 * Context: Process context. May sleep.
 */
void sonde_buffers_destroy(struct sonde_session *session)
{
	if (session->writers)
		free_writers(session, session->writers);
	session->writers = NULL;
}

/**
 * sonde_buffers_mmap() - map one ring
 * @session: borrowed; takes no lock of it, mmap_lock is held
 * @vma: begins where a ring does, and ends in it
 *
 * Context: Process context.
 * Return: 0, -EINVAL no ring is there or the mapping is private or longer,
 * -EPERM it may be executed, -EAGAIN no memory for page tables.
 */
int sonde_buffers_mmap(struct sonde_session *session,
		       struct vm_area_struct *vma)
{
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u64 index = offset / SONDE_RING_STRIDE;
	u32 count = smp_load_acquire(&session->ring_count); /* the rings */

	if (vma->vm_flags & VM_EXEC)
		return -EPERM;
	if (!(vma->vm_flags & VM_SHARED) || offset % SONDE_RING_STRIDE ||
	    index >= count ||
	    vma->vm_end - vma->vm_start > SONDE_RING_DATA + session->ring_size)
		return -EINVAL;
	return remap_vmalloc_range(vma, session->rings[index]->ring, 0);
}

/**
 * sonde_buffers_count() - add up what the writers counted
 * @session: its lock is held
 * @statistics: firings, records and drops are set
 *
 * Context: Process context.
 */
void sonde_buffers_count(struct sonde_session *session,
			 struct sonde_statistics *statistics)
{
	u32 n;

	statistics->drops = atomic64_read(&session->lost);
	for (n = 0; n < session->ring_count; n++) {
		struct sonde_writer *writer = session->rings[n];

		statistics->firings += READ_ONCE(writer->firings);
		statistics->records += READ_ONCE(writer->records);
		statistics->drops += READ_ONCE(writer->drops);
	}
}

/**
 * sonde_writer_drop() - count records that are lost
 * @writer: this CPU's
 * @records: how many
 *
 * Context: Any but NMI; preemption is off.
 */
void sonde_writer_drop(struct sonde_writer *writer, u64 records)
{
	unsigned long flags;

	local_irq_save(flags);
	WRITE_ONCE(writer->drops, writer->drops + records);
	WRITE_ONCE(writer->ring->drops, writer->drops);
	local_irq_restore(flags);
}

/**
 * sonde_writer_refuse() - a firing cannot be recorded here
 * @session: any
 * @writer: this CPU's: busy, or without a ring
 * @records: that are lost
 *
 * Context: Any but NMI; preemption is off.
 */
void sonde_writer_refuse(struct sonde_session *session,
			 struct sonde_writer *writer, u32 records)
{
	if (writer->ring)
		sonde_writer_drop(writer, records);
	else
		atomic64_add(records, &session->lost);
}

static void refresh_tail(struct sonde_writer *writer)
{
	/* W2: the reader is done with what lies before; pairs with R2 */
	u64 tail = smp_load_acquire(&writer->ring->tail);

	if (tail - writer->tail <= writer->head - writer->tail)
		writer->tail = tail;
}

static bool has_room(struct sonde_writer *writer, u64 bytes)
{
	if (writer->size - (writer->head - writer->tail) >= bytes)
		return true;
	refresh_tail(writer);
	return writer->size - (writer->head - writer->tail) >= bytes;
}

static u64 to_end(struct sonde_writer *writer)
{
	return writer->size - (writer->head & (writer->size - 1));
}

/* With the padding before it. */
static u64 needed(struct sonde_writer *writer, u64 bytes)
{
	u64 rest = to_end(writer);

	return rest < bytes ? rest + bytes : bytes;
}

/**
 * sonde_writer_wake() - wake the reader if a quarter is full
 * @writer: at the end of a firing
 *
 * Context: Any but NMI; preemption is off.
 */
void sonde_writer_wake(struct sonde_writer *writer)
{
	u64 quarter = writer->size / 4;

	refresh_tail(writer);
	writer->wake_at = writer->tail + quarter;
	if (writer->head - writer->tail < quarter)
		return;
	writer->wake_at = writer->head + quarter / 4;
	if (writer->woken_at == writer->tail)
		return;
	writer->woken_at = writer->tail;
	irq_work_queue(&writer->wake);
}

static void *data_at(struct sonde_writer *writer, u64 position)
{
	return writer->data + (position & (writer->size - 1));
}

/* What writer.h goes by. */
static void set_room(struct sonde_writer *writer)
{
	writer->next = data_at(writer, writer->head);
	writer->room = min(writer->size - (writer->head - writer->tail),
			   to_end(writer));
}

/**
 * sonde_writer_make_room() - sonde_writer_reserve() near the end, or full
 * @writer: in a firing
 * @bytes: the record's size at most
 *
 * Context: As sonde_writer_begin().
 * Return: where to make the record: in the ring, or outside.
 */
struct sonde_record *sonde_writer_make_room(struct sonde_writer *writer,
					    u32 bytes)
{
	bool fits = has_room(writer, needed(writer, bytes));

	set_room(writer);
	if (bytes <= writer->room)
		return (void *)writer->next;
	writer->reserved = bytes;
	writer->outside = fits ? NULL : READ_ONCE(writer->scratch);
	return fits ? data_at(writer, writer->head + to_end(writer)) :
		      writer->outside;
}

static void put_padding(struct sonde_writer *writer, u64 bytes)
{
	struct sonde_record *padding = data_at(writer, writer->head);

	padding->size = bytes;
	padding->flags = SONDE_RECORD_PADDING;
	writer->head += bytes;
}

/**
 * sonde_writer_put() - sonde_writer_commit() of a record that is not at next
 * @writer: in a firing
 * @bytes: the record's size
 *
 * A record that does not fit is counted as a drop.
 *
 * Context: As sonde_writer_begin().
 */
void sonde_writer_put(struct sonde_writer *writer, u32 bytes)
{
	u32 room = writer->outside ? bytes : writer->reserved;

	if (writer->outside && !has_room(writer, needed(writer, bytes))) {
		sonde_writer_drop(writer, 1);
		return;
	}
	/* one in the ring was placed by the room for its largest size */
	if (to_end(writer) < room)
		put_padding(writer, to_end(writer));
	if (writer->outside)
		memcpy(data_at(writer, writer->head), writer->outside, bytes);
	writer->head += bytes;
	writer->records++;
	set_room(writer);
	/* W1: the record before head; pairs with R1 */
	smp_store_release(&writer->ring->head, writer->head);
}
