enum colour { RED, GREEN, RED };
BEGIN { exit(0); }

/* @rows: type.enum_duplicate */
