BEGIN { trace(basename(12)); }
/* @rows: fun.basename */
