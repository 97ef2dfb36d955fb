/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The probes of own_probes.c: an argument of every kind.
 */
#pragma D attributes Evolving/Evolving/Common provider shop provider

typedef struct shop shop_t;
struct pair { int first; size_t second; };

provider shop {
	probe open();
	probe closed(void);
	/* a name, or none */
	probe small__signed(int8_t, int16_t value);
	probe small__unsigned(uint8_t, uint16_t value);
	probe wide__signed(int32_t count, int64_t);
	probe wide__unsigned(uint32_t, uint64_t count);
	probe texts(char *, const char *name);
	probe addresses(void *, int *where[2], shop_t *shop) : (uintptr_t where, uintptr_t, struct pair *shop);
	probe floats(float, double value);
	probe constants(int, unsigned long, double, float, const char *);
	probe flags(bool, colour_t, bool answer);
	probe structs(struct pair, char[3], four_t) : (uintptr_t);
	probe wide(long double, __int128);
	probe bits(unsigned low, int high);
	probe in__line(int);
	probe counted(int);
	probe most(int, int, int, int, int, int, int, int, int, int, int, int);
}
