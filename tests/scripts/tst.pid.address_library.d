/* @rows: pid.address_alone */
/* @sonde: -q -c /bin/true -x errtags */
/* @status: 1 */
/* @stderr: [D_PROC_LIB] line 6: only the a.out module is valid with the '-' function */
/* Another module has none. */
pid$target:libc:-:4* { }
