BEGIN { this->s = "a,b"; trace(strtok(this->s, ",")); }
BEGIN { trace(strtok(NULL, ",")); exit(0); }
ERROR { exit(1); }
