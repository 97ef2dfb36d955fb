/* @rows: act.inject */
/* @sonde: -q -w -c "sh -c 'kill -0 $$'" */
/* @stderr: is not at the entry of a system call */
/* where no call begins there is nothing to inject into */
syscall::kill:return { inject(-ESRCH); printf("%d\n", (int)arg1); }
