enum a { ONE, TWO, ONE };

/* @rows: type.enum_duplicate */
