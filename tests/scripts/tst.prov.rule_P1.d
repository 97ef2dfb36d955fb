/* @only: ptrace because the kmod source samples every process */
/* @stderr: profile: nobody is traced */
profile-50ms { printf("%d", cpu >= 0); exit(0); }
