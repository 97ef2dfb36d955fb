/* @rows: opt.flowindent out.flow */
/* @sonde: -x flowindent */
/* @cpu: 0 */
/* neither entry nor return: a bar, at the present depth */
BEGIN { trace(1); }
END { trace("two"); }
BEGIN { exit(0); }
