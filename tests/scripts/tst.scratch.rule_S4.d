BEGIN { t = "abXcdYef"; trace(strtok(t, "X")); trace(strtok(NULL, "Y")); trace(strtok(NULL, "z")); exit(0); }
