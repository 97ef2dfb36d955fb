BEGIN { prntf("x"); }
