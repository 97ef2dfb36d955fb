/* @rows: const.signal */
/* Linux's numbers of signals. */
BEGIN
{
  printf("%d %d %d %d %d %d\n", SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT);
  printf("%d %d %d %d %d %d\n", SIGBUS, SIGFPE, SIGKILL, SIGUSR1, SIGSEGV, SIGUSR2);
  printf("%d %d %d %d %d %d\n", SIGPIPE, SIGALRM, SIGTERM, SIGCHLD, SIGCONT, SIGSTOP);
  printf("%d %d %d %d\n", SIGTSTP, SIGSYS, SIGRTMIN, SIGRTMAX);
  exit(0);
}
