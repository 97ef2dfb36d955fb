/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Folding: records that a source need not write
 *
 * A clause that only aggregates needs no record a firing: records that differ in nothing but their time and the
 * aggregated values have the same keys. A source that folds keeps one element for all of them:
 *
 *   { epid, probe, thread if it matters, key slots and their texts }  -->  firings, states of the functions
 *
 * and hands its elements over when somebody looks (EventSource::take_folded()). The slots of the keys come first, those
 * of the values behind them. A source that does not fold writes the records, and the clause's body does the same.
 * So does one that folds, whenever it cannot: a slot has a fault, or its table is full. Nothing is lost by folding.
 *
 * The words of a state are those of the function in runtime/agg, all 0 before the first value.
 */
#ifndef SONDE_FOLD_H
#define SONDE_FOLD_H

#include "kmod/shared/record.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SONDE_FOLD_PARTS 4u /* functions of a clause */
#define SONDE_FOLD_NO_SLOT 255u
#define SONDE_FOLD_BUCKETS 127u /* of quantize() */

/*   X(name, words of its state) */
#define SONDE_FOLD_FUNCTIONS(X)                                           \
	X(COUNT, 1) /* firings */                                         \
	X(SUM, 1) /* the sum */                                           \
	X(AVG, 2) /* firings, the sum */                                  \
	X(MIN, 2) /* the least value, whether there is one */             \
	X(MAX, 2) /* the greatest value, whether there is one */          \
	X(STDDEV, 5) /* firings, the sum and that of the squares: 128 bits each */ \
	X(QUANTIZE, SONDE_FOLD_BUCKETS) /* below -2^62 ... 0 ... 2^63 */  \
	X(LQUANTIZE, 2) /* below, `levels` more, above */

enum sonde_fold_function {
#define SONDE_FOLD_ENUM(name, words) SONDE_FOLD_##name,
	SONDE_FOLD_FUNCTIONS(SONDE_FOLD_ENUM)
#undef SONDE_FOLD_ENUM
		SONDE_FOLD_FUNCTION_COUNT
};

/* One call of an aggregating function. */
struct sonde_fold_part {
	uint8_t function; /* enum sonde_fold_function */
	uint8_t value; /* slots; SONDE_FOLD_NO_SLOT: the value or the increment is 1 */
	uint8_t weight;
	int64_t base, step; /* of LQUANTIZE */
	uint32_t levels;
};

struct sonde_fold {
	uint8_t parts; /* 0: its records cannot be folded */
	uint8_t keys; /* slots of keys: the first ones */
	uint8_t thread; /* process and thread belong to the key */
	struct sonde_fold_part part[SONDE_FOLD_PARTS];
};

static inline uint32_t sonde_fold_words(const struct sonde_fold_part *part)
{
	static const uint8_t words[] = {
#define SONDE_FOLD_WORDS(name, words) words,
		SONDE_FOLD_FUNCTIONS(SONDE_FOLD_WORDS)
#undef SONDE_FOLD_WORDS
	};

	return words[part->function] + (part->function == SONDE_FOLD_LQUANTIZE ? part->levels : 0);
}

#ifdef __cplusplus
}
#endif

#endif
