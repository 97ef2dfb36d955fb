/* @rows: opt.argref macro.argref */
/* @arguments: 5 unused */
/* @status: 1 */
/* @stderr: extraneous argument 'unused' ($2 is not referenced) */
/* without argref they are more often a slip than not */
BEGIN { trace($1); exit(0); }
