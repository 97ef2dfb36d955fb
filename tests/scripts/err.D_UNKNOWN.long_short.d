BEGIN { trace((long short)3); }
/* @rows: type.no_type */
