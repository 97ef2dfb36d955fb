/* @program: files -O2 */
/* @sonde: -q -c "@program@ @scratch@" */
/* @rows: bv.fds fileinfo.members */
/* Pipes and sockets have a file system of their own; what is not open is <none> throughout, whatever the number. */
syscall::fsync:entry
/arg0 == 21 || arg0 == 22/
{ printf("%d %s %s\n", arg0, fds[arg0].fi_fs, substr(fds[arg0].fi_pathname, 0, 5)); }
syscall::fsync:entry
/arg0 != 20 && arg0 != 21 && arg0 != 22/
{
  printf("%s %s %s %s %s", fds[arg0].fi_name, fds[arg0].fi_dirname, fds[arg0].fi_pathname, fds[arg0].fi_fs, fds[arg0].fi_mount);
  printf(" %d %d\n", fds[arg0].fi_offset, fds[arg0].fi_oflags);
}
