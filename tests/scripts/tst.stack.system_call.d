/* @program: frames -O2 -fomit-frame-pointer */
/* @sonde: -q -c @program@ */
/* @rows: bv.ustackdepth */
/* At a system call the stack reaches through libc into the program. */
int n;
syscall::getppid:entry /n++ == 0/ { self->depth = ustackdepth; printf("%d\n", ustackdepth >= 6); }
