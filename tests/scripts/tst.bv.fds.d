/* @program: files -O2 */
/* @sonde: -q -c "@program@ @scratch@" */
/* @rows: bv.fds fileinfo.members const.open */
/* A file: where it lies, how far it was read, how it was opened. */
syscall::fsync:entry
/arg0 == 20/
{
  printf("%s %s %s\n", fds[arg0].fi_name, fds[arg0].fi_dirname, fds[arg0].fi_pathname);
  printf("%d\n", fds[arg0].fi_offset);
  printf("%d %d\n", (fds[arg0].fi_oflags & O_ACCMODE) == O_RDWR, (fds[arg0].fi_oflags & O_APPEND) != 0);
  printf("%d %d\n", fds[arg0].fi_fs != "<none>", fds[arg0].fi_mount != "<none>");
}
