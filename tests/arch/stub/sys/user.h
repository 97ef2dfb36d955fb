// SPDX-License-Identifier: GPL-3.0-or-later
// Replaces the system's file, which has x86-64's registers: see ../runtime/utrace/arch.h. It declares nothing.
#pragma once
