// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The reader's bounds check
 *
 * A record may come from a writer that we do not trust. What this file accepts
 * can be read without another check: the slots are there, and each span that
 * its kind promises is behind the slots and inside the record. A slot that was
 * not captured is 0, whatever its kind: an absent span, without bytes or NUL.
 *
 * A record whose predicate faulted has only one slot, the bad address.
 *
 * The record must not change meanwhile: if its writer might change it, the
 * reader copies it first.
 */
#include "kmod/shared/record.h"
#include "kmod/shared/stack_flags.h"

#define SONDE_RECORD_FLAGS                                      \
	(SONDE_RECORD_PADDING | SONDE_RECORD_PREDICATE_FAULT | \
	 SONDE_RECORD_HELD | SONDE_RECORD_UNNAMED_CALL |        \
	 SONDE_RECORD_STACK_LOST | SONDE_RECORD_STACK_COMPILED)

static int span_is_inside(const struct sonde_record *record, uint64_t first,
			  uint32_t kind, uint64_t slot)
{
	uint64_t offset = SONDE_SPAN_OFFSET(slot);
	uint64_t length = SONDE_SPAN_LENGTH(slot);
	const uint8_t *bytes = (const uint8_t *)record;

	if (slot == 0)
		return 1;
	if (offset < first || offset > record->size ||
	    length > record->size - offset)
		return 0;
	switch (kind) {
	case SONDE_SLOT_TEXT:
		return offset + length < record->size &&
		       bytes[offset + length] == 0;
	case SONDE_SLOT_BYTES:
		return 1;
	case SONDE_SLOT_STACK:
	case SONDE_SLOT_KERNEL_STACK:
		return offset % 8 == 0 && length % 8 == 0;
	}
	return 0;
}

static int header_is_sound(const struct sonde_record *record,
			   uint64_t available)
{
	if (available < sizeof(*record) || record->size < sizeof(*record) ||
	    record->size > available || record->size % 8 != 0)
		return 0;
	if ((record->flags & ~SONDE_RECORD_FLAGS) != 0 ||
	    (record->flags & SONDE_RECORD_PADDING) != 0)
		return 0;
	if (record->slots > SONDE_MAX_SLOTS ||
	    record->slots * 8ull > record->size - sizeof(*record))
		return 0;
	return record->slots == SONDE_MAX_SLOTS ||
	       record->faults >> record->slots == 0;
}

int sonde_record_check(const struct sonde_record *record, uint64_t available,
		       const uint8_t *kinds, uint32_t slots)
{
	uint64_t first;
	uint32_t n;

	if (!header_is_sound(record, available))
		return -1;
	if (record->flags & SONDE_RECORD_PREDICATE_FAULT)
		return record->slots == 1 && record->faults == 1 ? 0 : -1;
	if (record->slots != slots)
		return -1;
	first = sizeof(*record) + slots * 8ull;
	for (n = 0; n < slots; n++) {
		if (kinds[n] == SONDE_SLOT_WORD || record->faults >> n & 1)
			continue;
		if (!span_is_inside(record, first, kinds[n], record->slot[n]))
			return -1;
	}
	return 0;
}
