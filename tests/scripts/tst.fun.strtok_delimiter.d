/* @rows: fun.strtok_rest */
/* What is left begins with the delimiter, and lives as long as the firing. */

BEGIN { t = "abXcdYef"; trace(strtok(t, "X")); trace(strtok(NULL, "Y")); trace(strtok(NULL, "z")); }
BEGIN { t = "0123Z"; trace(strtok(t, "Z")); trace(strtok(NULL, "a")); }
BEGIN { this->s = "a,b"; trace(strtok(this->s, ",")); }
BEGIN { trace(strtok(NULL, ",")); exit(0); }
