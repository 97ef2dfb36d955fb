BEGIN { trace(mutex_owned()); }
/* @rows: fun.mutex */
