enum a { ONE };
enum b { ONE };

/* @rows: type.enum_duplicate */
