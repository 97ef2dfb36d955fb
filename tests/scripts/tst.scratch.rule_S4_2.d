BEGIN { t = "0123Z"; trace(strtok(t, "Z")); trace(strtok(NULL, "a")); exit(0); }
ERROR { exit(1); }
