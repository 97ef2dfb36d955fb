BEGIN { printf("%d", trace(3)); }
/* @rows: expr.action_void */
