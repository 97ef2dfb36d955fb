/* @rows: const.open */
/* Flags of open(), in octal as its manual has them. */
BEGIN
{
  printf("%o %o %o %o\n", O_RDONLY, O_WRONLY, O_RDWR, O_ACCMODE);
  printf("%o %o %o %o %o\n", O_CREAT, O_EXCL, O_NOCTTY, O_TRUNC, O_APPEND);
  printf("%o %o %o %o\n", O_NONBLOCK, O_DIRECTORY, O_NOFOLLOW, O_CLOEXEC);
  exit(0);
}
