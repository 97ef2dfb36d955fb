/* @rows: lex.character_type */
/* A character constant has the type of its value in decimal; up to eight characters give all their bytes. */

BEGIN { printf("%x %d %d %d\n", 'steamers', sizeof ('steamers'), sizeof ('abc'), sizeof ('\377abc')); exit(0); }
