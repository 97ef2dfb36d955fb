// SPDX-License-Identifier: GPL-3.0-or-later
int twice(int a) { return 2 * a; }
