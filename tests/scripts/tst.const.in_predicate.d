/* @program: files -O2 */
/* @sonde: -q -c "@program@ @scratch@" */
/* @rows: const.errno */
/* Constants decide where the probe fires. */
syscall::fsync:return /errno == EBADF/ { @["bad descriptor"] = count(); }
syscall::fsync:return /errno == EINVAL/ { @["no file"] = count(); }
syscall::fsync:return /errno == 0/ { @["fine"] = count(); }
END { printa("%s %@d\n", @); }
