/* @rows: pid.address_alone */
/* @sonde: -q -c /bin/true -x errtags */
/* @status: 1 */
/* @stderr: [D_PROC_NAME] line 6: only individual addresses may be specified with the '-' function */
/* Without a module it is the program's. */
pid$target::-:4* { }
