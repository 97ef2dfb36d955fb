/* SPDX-License-Identifier: GPL-3.0-or-later */
inline uint_t ipl = 0;
