// SPDX-License-Identifier: GPL-2.0
/*
 * Per-CPU rings: the writing end
 *
 * writer.h has what every firing does; this file has the rare cases.
 * kmod/shared/record.h defines the layout and the protocol with the reader;
 * runtime/buffer/ring.h describes how they work, and names the barriers (W1 to
 * W4, R1 to R4). Differences from there:
 *
 * A firing runs with preemption off, so only interrupts can use its CPU's
 * writer at the same time. An interrupt that fires a probe during a firing
 * finds the writer busy, records nothing, and counts one drop for each ECB. We
 * refused to disable interrupts instead: a firing may copy kilobytes.
 *
 * low_water is the time of this CPU's last firing, not the present time: it is
 * a valid bound, too, and saves a second reading of the clock. The clock is not
 * read in a firing that makes no record and whose programs do not use the time.
 *
 *   last_time -> low_water   smp_mb (W3)   clock -> timestamp ... IDLE (W4)
 *
 * The reader can write to the whole mapping. So head, drops and sizes are kept
 * here, only the tail is read from the ring, and an impossible tail is ignored.
 * A hostile reader can only damage what it reads itself.
 *
 * A record that may not fit is made outside of the ring, and copied into it or
 * dropped when its size is known. So a program whose predicate is false never
 * counts as a drop. When a quarter of the ring is full, the reader is woken by
 * irq_work, which works in any context; not again until it has moved the tail.
 * wake_at is the head at which this is checked next.
 *
 * Rings are made for the CPUs that are online at that time. A CPU that comes up
 * later gets a ring before it runs, and the reader gets an event. A CPU that
 * goes offline keeps its ring with its contents. If the size is changed, new
 * rings replace the old ones: each CPU swaps its ring in an interrupt, between
 * two firings. The memory of an old ring is kept while it is mapped.
 *
 * Policies. A ring of policy fill that overflows ends the recording of the
 * whole session, by setting session->full. No CPU accesses the writer of
 * another, so each must check that flag: with this policy each record goes
 * through sonde_writer_make_room(). With policy ring the writer moves the tail:
 * to the first of `marks`, where records begin, that leaves enough room. There
 * is a mark for each 64th of the ring, so that no record has to be read back.
 *
 * Locks: cpu hotplug > sessions_lock > session->rings_lock; mmap_lock >
 * rings_lock, so code under it does not access user memory.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>

#include "kmod/compat.h"
#include "kmod/core/memory.h"
#include "kmod/device/buffer.h"
#include "kmod/device/events.h"
#include "kmod/device/session.h"

static void buffer_wake_reader(struct irq_work *work)
{
	struct sonde_writer *writer =
		container_of(work, struct sonde_writer, wake);

	sonde_event_wake(writer->session);
}

static void buffer_put_header(struct sonde_writer *writer, u32 number)
{
	struct sonde_ring *ring = writer->ring;

	ring->magic = SONDE_RING_MAGIC;
	ring->size = writer->size;
	ring->writer = number;
	ring->low_water = SONDE_IDLE;
}

/* The head at which to check whether the reader must be woken: it reads while we write. */
static u64 buffer_wake_after(struct sonde_writer *writer, u64 position)
{
	return writer->policy == SONDE_POLICY_SWITCH ?
		       position + writer->size / 4 :
		       position + S64_MAX;
}

static u64 buffer_to_end(struct sonde_writer *writer)
{
	return writer->size - (writer->head & (writer->size - 1));
}

static void *buffer_data_at(struct sonde_writer *writer, u64 position)
{
	return writer->data + (position & (writer->size - 1));
}

/* Policy ring: marks the start of a record. */
static void buffer_note_start(struct sonde_writer *writer)
{
	u64 segment = writer->head / (writer->size / SONDE_MARKS);

	if (segment == writer->marks->last)
		return;
	writer->marks->last = segment;
	writer->marks->at[segment % SONDE_MARKS] = writer->head;
}

/*
 * Sets next and room for writer.h. The room ends after a 64th of the ring with
 * policy ring, to mark the start of a record, and after each record with policy
 * fill. A record of @bytes fits.
 */
static void buffer_set_room(struct sonde_writer *writer, u64 bytes)
{
	u64 used = writer->head - writer->tail;
	u64 room = min(writer->size - used, buffer_to_end(writer));

	if (writer->policy == SONDE_POLICY_RING) {
		buffer_note_start(writer);
		room = min(room, max(bytes, writer->size / SONDE_MARKS));
	} else if (writer->policy == SONDE_POLICY_FILL) {
		room = min(room, bytes);
	}
	writer->next = buffer_data_at(writer, writer->head);
	writer->room = room;
}

/* Replaces the ring; nothing fires on the writer's CPU. Return: the old ring. */
static struct sonde_ring *buffer_put_ring(struct sonde_writer *writer,
					  struct sonde_ring *ring, u64 size,
					  unsigned int cpu)
{
	struct sonde_ring *old = writer->ring;

	writer->size = size;
	writer->head = 0;
	writer->tail = 0;
	writer->woken_at = U64_MAX;
	writer->wake_at = buffer_wake_after(writer, 0);
	writer->drops_before = writer->drops;
	writer->data = (u8 *)ring + SONDE_RING_DATA;
	if (writer->marks)
		memset(writer->marks, 0, sizeof(*writer->marks));
	writer->ring = ring;
	buffer_put_header(writer, cpu);
	buffer_set_room(writer, 0);
	return old;
}

static int buffer_set_policy(struct sonde_writer *writer, u32 policy)
{
	if (policy == SONDE_POLICY_RING && !writer->marks) {
		writer->marks = sonde_alloc(SONDE_MEMORY_RINGS,
					    sizeof(*writer->marks));
		if (!writer->marks)
			return -ENOMEM;
	}
	return 0;
}

static long buffer_pages_of(u64 size)
{
	return (SONDE_RING_DATA + size) >> PAGE_SHIFT;
}

static void buffer_charge(struct sonde_session *session, long pages)
{
	atomic_long_add(pages, &session->cred->user->locked_vm);
	session->locked += pages;
}

/*
 * Counts as locked memory of its user, as perf's buffers do; until the session
 * ends, because a replaced ring may still be mapped.
 */
static struct sonde_ring *buffer_alloc_ring(struct sonde_session *session,
					    u64 size)
{
	struct sonde_ring *ring = NULL;

	lockdep_assert_held(&session->rings_lock);
	buffer_charge(session, buffer_pages_of(size));
	if (session->unlimited ||
	    atomic_long_read(&session->cred->user->locked_vm) <=
		    session->locked_most)
		ring = vmalloc_user(SONDE_RING_DATA + size);
	if (ring)
		sonde_memory_add(SONDE_MEMORY_RINGS, 1, SONDE_RING_DATA + size);
	else
		buffer_charge(session, -buffer_pages_of(size));
	return ring;
}

/* Pages of it that are mapped remain until they are unmapped. */
static void buffer_free_ring(struct sonde_ring *ring, u64 size)
{
	if (!ring)
		return;
	vfree(ring);
	sonde_memory_add(SONDE_MEMORY_RINGS, -1, -(long)(SONDE_RING_DATA + size));
}

/* Makes the next ring, with the writer of @cpu, which does not fire yet. */
static int buffer_add_ring(struct sonde_session *session, unsigned int cpu)
{
	struct sonde_writer *writer = per_cpu_ptr(session->writers, cpu);
	struct sonde_ring *ring;

	lockdep_assert_held(&session->rings_lock);
	if (!writer->session)
		init_irq_work(&writer->wake, buffer_wake_reader);
	writer->session = session;
	writer->cpu = cpu;
	writer->policy = session->policy;
	if (!writer->path)
		writer->path = sonde_alloc(SONDE_MEMORY_RINGS, PAGE_SIZE);
	if (session->scratch_size > writer->scratch_size) {
		sonde_free(writer->scratch);
		writer->scratch = sonde_alloc(SONDE_MEMORY_RINGS,
					      session->scratch_size);
		writer->scratch_size = writer->scratch ? session->scratch_size :
							 0;
	}
	if (!writer->path || writer->scratch_size < session->scratch_size ||
	    buffer_set_policy(writer, session->policy))
		return -ENOMEM;
	ring = buffer_alloc_ring(session, session->ring_size);
	if (!ring)
		return -ENOMEM;
	buffer_put_ring(writer, ring, session->ring_size, cpu);
	writer->busy = false;
	session->rings[session->ring_count] = writer;
	WRITE_ONCE(session->ring_count, session->ring_count + 1);
	return 0;
}

static size_t buffer_writers_bytes(void)
{
	return num_possible_cpus() * sizeof(struct sonde_writer);
}

static struct sonde_writer __percpu *buffer_alloc_writers(void)
{
	struct sonde_writer __percpu *writers =
		alloc_percpu_gfp(struct sonde_writer, GFP_KERNEL_ACCOUNT);

	if (writers)
		sonde_memory_add(SONDE_MEMORY_RINGS, 1, buffer_writers_bytes());
	return writers;
}

static void buffer_free_writer_array(struct sonde_writer __percpu *writers)
{
	if (!writers)
		return;
	free_percpu(writers);
	sonde_memory_add(SONDE_MEMORY_RINGS, -1, -(long)buffer_writers_bytes());
}

static void buffer_free_writers(struct sonde_session *session,
				struct sonde_writer __percpu *writers)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct sonde_writer *writer = per_cpu_ptr(writers, cpu);

		if (!writer->session)
			continue;
		irq_work_sync(&writer->wake);
		buffer_free_ring(writer->ring, writer->size);
		sonde_free(writer->scratch);
		sonde_free(writer->marks);
		sonde_free(writer->path);
	}
	buffer_free_writer_array(writers);
	sonde_free(session->rings);
	session->rings = NULL;
	session->ring_count = 0;
	buffer_charge(session, -session->locked);
}

static bool buffer_too_much(u64 bytes, unsigned int cpus)
{
	return bytes > ((u64)totalram_pages() << PAGE_SHIFT) / 4 / cpus;
}

static int buffer_make_rings(struct sonde_session *session, u64 size,
			     u32 policy)
{
	struct sonde_writer __percpu *writers;
	unsigned int cpu;
	int err = 0;

	session->rings = sonde_alloc(SONDE_MEMORY_RINGS,
				     nr_cpu_ids * sizeof(*session->rings));
	writers = buffer_alloc_writers();
	if (!session->rings || !writers) {
		sonde_free(session->rings);
		buffer_free_writer_array(writers);
		session->rings = NULL;
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu)
		per_cpu_ptr(writers, cpu)->busy = true; /* until it has a ring */
	session->ring_size = size;
	session->policy = policy;
	session->writers = writers;
	for_each_online_cpu(cpu) {
		err = buffer_add_ring(session, cpu);
		if (err)
			break;
	}
	if (err) {
		session->writers = NULL; /* ECBs need rings, so there are none yet */
		buffer_free_writers(session, writers);
	}
	return err;
}

struct swap {
	struct sonde_writer *writer;
	struct sonde_ring *ring; /* the new one, then the old one */
	u64 size; /* of `ring` */
	u32 policy;
	bool done;
};

/* Runs on the writer's CPU, in an interrupt; or anywhere, if that is offline. */
static void buffer_swap_here(void *data)
{
	struct swap *swap = data;

	u64 old = swap->writer->size;

	if (swap->writer->busy)
		return; /* a firing is running */
	swap->writer->policy = swap->policy;
	swap->ring = buffer_put_ring(swap->writer, swap->ring, swap->size,
				     swap->writer->cpu);
	swap->size = old;
	swap->done = true;
}

static void buffer_swap_ring(struct swap *swap)
{
	while (!swap->done) {
		if (cpu_online(swap->writer->cpu))
			smp_call_function_single(swap->writer->cpu,
						 buffer_swap_here, swap, 1);
		else
			buffer_swap_here(swap);
		if (!swap->done)
			schedule_timeout_uninterruptible(1);
	}
}

/* Replaces all of the rings, or none. */
static int buffer_replace_rings(struct sonde_session *session, u64 size,
				u32 policy)
{
	u32 count = session->ring_count, n;
	struct swap *swaps;
	int err = -ENOMEM;

	swaps = kvcalloc(count, sizeof(*swaps), GFP_KERNEL);
	if (!swaps)
		return -ENOMEM;
	for (n = 0; n < count; n++) {
		swaps[n].writer = session->rings[n];
		swaps[n].size = size;
		swaps[n].policy = policy;
		swaps[n].ring = buffer_alloc_ring(session, size);
		if (!swaps[n].ring ||
		    buffer_set_policy(session->rings[n], policy))
			goto out_free;
	}
	for (n = 0; n < count; n++)
		buffer_swap_ring(&swaps[n]);
	session->ring_size = size;
	session->policy = policy;
	WRITE_ONCE(session->full, false);
	err = 0;

out_free:
	for (n = 0; n < count; n++) {
		if (err && swaps[n].ring)
			buffer_charge(session, -buffer_pages_of(size));
		buffer_free_ring(swaps[n].ring, swaps[n].size);
	}
	kvfree(swaps);
	return err;
}

/**
 * sonde_buffers_create() - make the rings of a session, or replace them
 * @session: its lock is held
 * @bytes: size of the data of each ring; rounded up to a power of two, at least
 *	a page
 * @policy: enum sonde_policy
 * @why: the message for the user on failure
 *
 * Context: Process context. May sleep.
 * Return: the number of rings; -EINVAL: more than 1 GiB, or no such policy;
 * -ENOMEM, also if all of them would take a quarter of the memory, or more than
 * the user may lock.
 */
int sonde_buffers_create(struct sonde_session *session, u64 bytes, u32 policy,
			 char *why)
{
	u64 size;
	int err;

	lockdep_assert_held(&session->lock);
	if (bytes > SONDE_RING_MAX || policy >= SONDE_POLICY_COUNT)
		return sonde_refuse(why, -EINVAL,
				    bytes > SONDE_RING_MAX ?
					    "a buffer has at most 1 GiB" :
					    "no such buffer policy");
	size = roundup_pow_of_two(max(bytes, SONDE_RING_MIN));
	scnprintf(why, SONDE_WHY, session->unlimited ?
		  "no memory for such buffers" :
		  "no memory for such buffers: all of yours may have RLIMIT_MEMLOCK (ulimit -l), %lu KiB",
		  rlimit(RLIMIT_MEMLOCK) >> 10);
	if (buffer_too_much(size, num_present_cpus()))
		return -ENOMEM;
	cpus_read_lock();
	mutex_lock(&session->rings_lock);
	session->locked_most = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	if (session->writers)
		err = buffer_replace_rings(session, size, policy);
	else
		err = buffer_make_rings(session, size, policy);
	mutex_unlock(&session->rings_lock);
	cpus_read_unlock();
	return err ?: session->ring_count;
}

/**
 * sonde_buffers_cpu_up() - make the ring of a CPU that comes up
 * @session: any
 * @cpu: it runs nothing yet
 *
 * If there is no memory, its records are counted as lost.
 *
 * Context: Process context, cpu hotplug. May sleep.
 */
void sonde_buffers_cpu_up(struct sonde_session *session, unsigned int cpu)
{
	bool added = false;

	might_sleep();
	mutex_lock(&session->rings_lock);
	if (session->writers && !per_cpu_ptr(session->writers, cpu)->ring)
		added = !buffer_add_ring(session, cpu);
	mutex_unlock(&session->rings_lock);
	if (added)
		sonde_event(session, SONDE_EVENT_RINGS, 0, session->ring_count);
}

/* Replaces all of the scratches, or none. */
static int buffer_grow_scratch(struct sonde_session *session, u32 bytes)
{
	int err = -ENOMEM;
	void **spare; /* the new ones, then the old ones */
	u32 n;

	lockdep_assert_held(&session->rings_lock);
	bytes = roundup_pow_of_two(max(bytes, 1024u));
	spare = kcalloc(session->ring_count, sizeof(*spare), GFP_KERNEL);
	if (!spare)
		return -ENOMEM;
	for (n = 0; n < session->ring_count; n++) {
		spare[n] = sonde_alloc(SONDE_MEMORY_RINGS, bytes);
		if (!spare[n])
			goto out_free;
	}
	for (n = 0; n < session->ring_count; n++) {
		spare[n] = xchg(&session->rings[n]->scratch, spare[n]);
		session->rings[n]->scratch_size = bytes;
	}
	if (session->ring_count)
		synchronize_rcu();
	session->scratch_size = bytes;
	err = 0;

out_free:
	for (n = 0; n < session->ring_count; n++)
		sonde_free(spare[n]);
	kfree(spare);
	return err;
}

/**
 * sonde_buffers_scratch() - ensure that records of @bytes can be made outside
 * of the rings
 * @session: its lock is held
 * @bytes: the largest record of a program
 *
 * Context: Process context. May sleep.
 * Return: 0 or -ENOMEM.
 */
int sonde_buffers_scratch(struct sonde_session *session, u32 bytes)
{
	int err = 0;

	lockdep_assert_held(&session->lock);
	if (bytes <= session->scratch_size)
		return 0;
	mutex_lock(&session->rings_lock);
	err = buffer_grow_scratch(session, bytes);
	mutex_unlock(&session->rings_lock);
	return err;
}

/**
 * sonde_buffers_destroy() - free the rings
 * @session: it does not fire any more, and its rings are not mapped
 *
 * Context: Process context. May sleep.
 */
void sonde_buffers_destroy(struct sonde_session *session)
{
	might_sleep();
	if (session->writers)
		buffer_free_writers(session, session->writers);
	session->writers = NULL;
}

/**
 * sonde_buffers_mmap() - map one ring
 * @session: borrowed
 * @vma: begins at the start of a ring, and ends in it
 *
 * The pages of the ring exist as long as they are mapped.
 *
 * Context: Process context, mmap_lock is held. May sleep.
 * Return: 0; -EINVAL: no ring is there, or the mapping is private or too long;
 * -EPERM: it is executable; -EAGAIN: no memory for page tables.
 */
int sonde_buffers_mmap(struct sonde_session *session,
		       struct vm_area_struct *vma)
{
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u64 index = offset / SONDE_RING_STRIDE;
	struct sonde_writer *writer;
	int err = -EINVAL;

	might_sleep();
	if (vma->vm_flags & VM_EXEC)
		return -EPERM;
	sonde_vma_clear(vma, VM_MAYEXEC); /* for mprotect() */
	if (!(vma->vm_flags & VM_SHARED) || offset % SONDE_RING_STRIDE)
		return -EINVAL;
	mutex_lock(&session->rings_lock);
	if (index < session->ring_count &&
	    vma->vm_end - vma->vm_start <= SONDE_RING_DATA + session->ring_size) {
		writer = session->rings[array_index_nospec(index,
							   session->ring_count)];
		err = remap_vmalloc_range(vma, writer->ring, 0);
	}
	mutex_unlock(&session->rings_lock);
	return err;
}

/**
 * sonde_buffers_count() - add up the counts of the writers
 * @session: any
 * @statistics: firings, records and drops are set
 *
 * Context: Process context.
 */
void sonde_buffers_count(struct sonde_session *session,
			 struct sonde_statistics *statistics)
{
	u32 n;

	statistics->drops = atomic64_read(&session->lost);
	mutex_lock(&session->rings_lock);
	for (n = 0; n < session->ring_count; n++) {
		struct sonde_writer *writer = session->rings[n];

		statistics->firings += READ_ONCE(writer->firings);
		statistics->records += READ_ONCE(writer->records);
		statistics->drops += READ_ONCE(writer->drops);
	}
	mutex_unlock(&session->rings_lock);
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

	lockdep_assert_preemption_disabled();
	local_irq_save(flags);
	WRITE_ONCE(writer->drops, writer->drops + records);
	WRITE_ONCE(writer->ring->drops, writer->drops - writer->drops_before);
	local_irq_restore(flags);
}

/**
 * sonde_writer_refuse() - count records of a firing that cannot be recorded
 * here
 * @session: any
 * @writer: this CPU's: busy, or without a ring
 * @records: that are lost
 *
 * Context: Any but NMI; preemption is off.
 */
void sonde_writer_refuse(struct sonde_session *session,
			 struct sonde_writer *writer, u32 records)
{
	lockdep_assert_preemption_disabled();
	if (writer->ring)
		sonde_writer_drop(writer, records);
	else
		atomic64_add(records, &session->lost);
}

static void buffer_refresh_tail(struct sonde_writer *writer)
{
	/* W2: the reader is done with everything before the tail; pairs with R2 */
	u64 tail = smp_load_acquire(&writer->ring->tail);

	if (tail - writer->tail <= writer->head - writer->tail)
		writer->tail = tail;
}

/* Policy ring: drops the oldest records, so that @bytes fit. */
static void buffer_give_up_oldest(struct sonde_writer *writer, u64 bytes)
{
	u64 wanted = writer->head + bytes - writer->size, tail = writer->head;
	u32 n;

	if (bytes > writer->size)
		return;
	for (n = 0; n < SONDE_MARKS; n++) {
		u64 mark = writer->marks->at[n];

		if (mark >= wanted && mark < tail && mark >= writer->tail)
			tail = mark;
	}
	writer->tail = tail;
	WRITE_ONCE(writer->ring->tail, tail);
}

static bool buffer_fits(struct sonde_writer *writer, u64 bytes)
{
	return writer->head - writer->tail + bytes <= writer->size;
}

static bool buffer_has_room(struct sonde_writer *writer, u64 bytes)
{
	if (READ_ONCE(writer->session->full))
		return false;
	if (buffer_fits(writer, bytes))
		return true;
	if (writer->policy == SONDE_POLICY_RING)
		buffer_give_up_oldest(writer, bytes);
	else
		buffer_refresh_tail(writer);
	return buffer_fits(writer, bytes);
}

/* The size including the padding before it. */
static u64 buffer_needed(struct sonde_writer *writer, u64 bytes)
{
	u64 rest = buffer_to_end(writer);

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

	lockdep_assert_preemption_disabled();
	buffer_refresh_tail(writer);
	writer->wake_at = buffer_wake_after(writer, writer->tail);
	if (writer->head - writer->tail < quarter)
		return;
	writer->wake_at = writer->head + quarter / 4;
	if (writer->woken_at == writer->tail)
		return;
	writer->woken_at = writer->tail;
	irq_work_queue(&writer->wake);
}

/**
 * sonde_writer_urge() - have a record read soon
 * @writer: in a firing
 *
 * A copied stack is walked by what the process has mapped, which is gone when
 * that ends. Records of the reader itself do not hurry: it would wake itself.
 *
 * Context: Any but NMI; preemption is off.
 */
void sonde_writer_urge(struct sonde_writer *writer)
{
	lockdep_assert_preemption_disabled();
	if (writer->policy != SONDE_POLICY_SWITCH ||
	    current->tgid == writer->session->opener)
		return;
	buffer_refresh_tail(writer);
	if (writer->woken_at == writer->tail)
		return;
	writer->woken_at = writer->tail;
	irq_work_queue(&writer->wake);
}

/**
 * sonde_writer_make_room() - sonde_writer_reserve() near the end of the ring,
 * or if it is full
 * @writer: in a firing
 * @bytes: the maximal size of the record
 *
 * Context: As sonde_writer_begin().
 * Return: room for the record: in the ring, or outside.
 */
struct sonde_record *sonde_writer_make_room(struct sonde_writer *writer,
					    u32 bytes)
{
	bool fits = buffer_has_room(writer, buffer_needed(writer, bytes));

	buffer_set_room(writer, fits ? bytes : 0);
	if (fits && bytes <= writer->room)
		return (void *)writer->next;
	writer->reserved = bytes;
	writer->outside = fits ? NULL : READ_ONCE(writer->scratch);
	return fits ? buffer_data_at(writer,
				     writer->head + buffer_to_end(writer)) :
		      writer->outside;
}

static void buffer_put_padding(struct sonde_writer *writer, u64 bytes)
{
	struct sonde_record *padding = buffer_data_at(writer, writer->head);

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

	if (writer->outside &&
	    !buffer_has_room(writer, buffer_needed(writer, bytes))) {
		sonde_writer_drop(writer, 1);
		if (writer->policy == SONDE_POLICY_FILL)
			WRITE_ONCE(writer->session->full, true);
		return;
	}
	/* a record in the ring was placed according to its maximal size */
	if (buffer_to_end(writer) < room)
		buffer_put_padding(writer, buffer_to_end(writer));
	if (writer->outside)
		memcpy(buffer_data_at(writer, writer->head), writer->outside,
		       bytes);
	writer->head += bytes;
	writer->records++;
	buffer_set_room(writer, 0);
	/* W1: the record before head; pairs with R1 */
	smp_store_release(&writer->ring->head, writer->head);
}
