BEGIN { copyout((void *)0, 1); }
/* @rows: act.copyout */
