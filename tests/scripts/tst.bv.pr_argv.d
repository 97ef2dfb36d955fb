/* @sonde: -q -c '/bin/true one two three' */
/* @rows: bv.curpsinfo */
/* pr_argc, pr_argv and pr_envp say where the program's arguments and environment lie. */
syscall::exit_group:entry
{
  this->argv = curpsinfo->pr_argv;
  printf("%d %s %s\n", curpsinfo->pr_argc, copyinstr(*(uintptr_t *)copyin(this->argv, 8)),
    copyinstr(*(uintptr_t *)copyin(this->argv + 24, 8)));
  printf("%d\n", curpsinfo->pr_envp - curpsinfo->pr_argv);
}
