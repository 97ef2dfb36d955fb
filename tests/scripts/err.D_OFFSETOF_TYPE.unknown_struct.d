BEGIN { trace(offsetof(struct qq, m)); }
/* @rows: type.no_type */
