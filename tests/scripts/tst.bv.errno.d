/* @program: files -O2 */
/* @sonde: -q -c "@program@ @scratch@" */
/* @rows: bv.errno const.errno */
/* errno is that of the call that returns, 0 when it succeeded; arg0 and arg1 are the result. */
syscall::fsync:return { printf("%d %d %d\n", errno == EINVAL, errno == EBADF, errno); }
syscall::openat:return /errno == ENOENT/ { printf("ENOENT %d %d\n", (int)arg0 == (int)arg1, (int)arg0 < 0); }
syscall::chdir:return { printf("chdir %d %d\n", errno, arg0); }
