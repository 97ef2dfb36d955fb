BEGIN { this->p = alloca(100000000); }
/* @rows: fun.alloca */
