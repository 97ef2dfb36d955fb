syscall::read:entry { trace(args[9]); }
