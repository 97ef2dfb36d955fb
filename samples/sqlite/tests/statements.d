/* The program's statements, and what comes of them; not those that SQLite asks of its own tables. */
sqlite:::prepare-start { self->own = strstr(args[0]->s_text, "sqlite_") != NULL; }
sqlite:::prepare-start /!self->own/ { printf("%s\n", args[0]->s_text); }
sqlite:::prepare-done /args[0] != 0/ { printf("error %d\n", args[0]); }
sqlite:::step-done /args[0] == 101/ { done++; }
END { printf("steps to the end: %s\n", done >= 3 ? "some" : "none"); }
