/* @only: ptrace because the others sample every process */
/* @sonde: -q -x source=ptrace */
/* @stderr: profile: no program is traced */
profile-50ms { printf("%d", cpu >= 0); exit(0); }
