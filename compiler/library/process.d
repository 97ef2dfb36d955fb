/* SPDX-License-Identifier: GPL-3.0-or-later */
inline string cwd = __cwd;
inline string root = __root;
inline string zonename = "global";
inline string errnoname = __errno_name(errno);
