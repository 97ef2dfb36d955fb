/* SPDX-License-Identifier: GPL-3.0-or-later */
inline string cgroup = __cgroup(__cgroupid);
