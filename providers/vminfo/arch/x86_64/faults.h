// SPDX-License-Identifier: GPL-3.0-or-later
// The tracepoints of page faults: the address, the registers, the processor's error code
#pragma once

#define SONDE_FAULT_OF_USER "page_fault_user"
#define SONDE_FAULT_OF_KERNEL "page_fault_kernel"

/// A page was there; its protection forbids the access.
#define SONDE_FAULT_IS_PROTECTION "(arg2 & 1) != 0"
#define SONDE_FAULT_IS_ABSENT "(arg2 & 1) == 0"
#define SONDE_FAULT_IS_PROTECTED_WRITE "((arg2 & 3) == 3)"
/// The upper half of the addresses is the kernel's.
#define SONDE_FAULT_AT_KERNEL "(int64_t)arg0 < 0"
