BEGIN { this->p = alloca("eight"); }
/* @rows: fun.alloca */
