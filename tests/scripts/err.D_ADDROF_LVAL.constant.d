BEGIN { y = &1; }
