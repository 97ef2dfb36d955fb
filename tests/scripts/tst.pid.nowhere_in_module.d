/* @rows: pid.unknown_function */
/* @sonde: -q -c /bin/true -x errtags */
/* @status: 1 */
/* @stderr: [D_PROC_FUNC] line 6: failed to lookup 'nowhere' in module 'libc.so.6' */
/* Where the module is spelled out. */
pid$target:libc.so.6:nowhere:entry { }
