/* SPDX-License-Identifier: GPL-3.0-or-later */
/* import is a word of D. */
int import;
BEGIN { exit(0); }
