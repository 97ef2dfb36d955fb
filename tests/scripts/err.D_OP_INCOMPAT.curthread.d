BEGIN { z = curthread; z = uid; }
/* @rows: bv.curthread_opaque */
