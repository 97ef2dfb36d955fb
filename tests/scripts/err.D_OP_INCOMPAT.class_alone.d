this flag;
BEGIN { this->flag = "abc"; exit(0); }
/* @rows: decl.class_alone */
