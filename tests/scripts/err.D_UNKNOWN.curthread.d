BEGIN { trace(curthread); }

/* @rows: bv.curthread */
