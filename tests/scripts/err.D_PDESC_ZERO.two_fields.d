syscall::openat { trace(1); }
