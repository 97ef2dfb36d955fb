BEGIN { trace(rw_iswriter((rwlock_t *)0, 1)); }
/* @rows: fun.mutex */
