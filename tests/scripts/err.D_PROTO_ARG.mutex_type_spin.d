BEGIN { trace(mutex_type_spin("lock")); }
/* @rows: fun.mutex */
