/* SPDX-License-Identifier: GPL-3.0-or-later */
inline string container = __container(__cgroupid);
