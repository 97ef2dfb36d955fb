syscall::opn:entry { trace(1); }
