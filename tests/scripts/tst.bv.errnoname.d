/* @program: files -O2 */
/* @sonde: -q -c "@program@ @scratch@" */
/* @rows: bv.errnoname */
/* errnoname is the name of errno, which can be a key; it is empty when the call succeeded. */
syscall::fsync:return,
syscall::chdir:return { @[probefunc, errnoname] = count(); }
syscall::openat:return /errnoname == "ENOENT"/ { @[probefunc, errnoname] = count(); }
END { setopt("aggsortkey"); printa("%s \"%s\" %@d\n", @); }
