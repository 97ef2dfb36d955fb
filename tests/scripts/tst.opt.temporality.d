/* @rows: opt.temporality */
/* @sonde: -q -x temporality=delta */
/* @status: 1 */
/* @stderr: temporality=delta: text shows aggregations as they are; see -x format */
BEGIN { exit(0); }
