BEGIN { this->p = alloca(); }
/* @rows: fun.alloca */
