BEGIN { @ = pid-3(); }
/* @rows: expr.designator */
