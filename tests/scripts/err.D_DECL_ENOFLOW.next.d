enum big { LAST = 2147483647, OVER };

/* @rows: type.enum_values */
