/* @program: files -O2 */
/* @sonde: -q -c "@program@ @scratch@" */
/* @rows: bv.cwd bv.root */
/* The working directory, before and after chdir(). */
syscall::fsync:entry
/arg0 == 20/
{ printf("%s\n%s\n", cwd, root); }
