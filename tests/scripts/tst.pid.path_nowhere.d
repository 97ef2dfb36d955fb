/* @rows: pid.path */
/* @sonde: -q -c /bin/true */
/* @status: 1 */
/* @stderr: :/nowhere/to\ be:main:entry does not match any probes: /nowhere/to be: No such file or directory */
/* The file is looked at, and what is wrong with it is said. */
pid$target:/nowhere/to\ be:main:entry { }
