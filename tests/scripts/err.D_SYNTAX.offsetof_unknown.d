BEGIN { trace(offsetof(qq_t, m)); }
/* @rows: type.no_type */
