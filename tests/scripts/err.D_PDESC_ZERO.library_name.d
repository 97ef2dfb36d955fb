syscall::pread:enter { trace(1); }
