/* @rows: pid.unknown_function */
/* @sonde: -q -c /bin/true -x errtags */
/* @status: 1 */
/* @stderr: [D_PDESC_ZERO] line 6: probe description pid */
/* Where the module is a glob, or left out. */
pid$target::nowhere:entry { }
