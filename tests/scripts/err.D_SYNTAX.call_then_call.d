/* two calls without a semicolon: the caret stands on the second, though (x) trace could be a cast */
BEGIN { x = 1; trace(x) trace(x); }
/* @rows: diag.caret */
