enum small { UNDER = -2147483649 };

/* @rows: type.enum_values */
