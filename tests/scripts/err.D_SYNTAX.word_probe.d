/* SPDX-License-Identifier: GPL-3.0-or-later */
/* probe is a word of D. */
int probe;
BEGIN { exit(0); }
