/* @rows: const.errno */
/* Linux's numbers of errors. */
BEGIN
{
  printf("%d %d %d %d %d\n", EPERM, ENOENT, ESRCH, EINTR, EIO);
  printf("%d %d %d %d %d\n", EAGAIN, EWOULDBLOCK, ENOMEM, EACCES, EFAULT);
  printf("%d %d %d %d %d\n", EEXIST, EINVAL, EPIPE, EDOM, ERANGE);
  printf("%d %d %d %d %d\n", ENOSYS, ELOOP, ECONNREFUSED, ETIMEDOUT, EINPROGRESS);
  exit(0);
}
