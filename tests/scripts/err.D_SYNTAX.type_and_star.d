int*qq
/* @rows: decl.type_and_star */
