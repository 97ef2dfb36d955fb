tracepoint:syscalls:sys_enter_openat { trace(1); }
