/* SPDX-License-Identifier: GPL-3.0-or-later */
/* counter is a word of D. */
int counter;
BEGIN { exit(0); }
