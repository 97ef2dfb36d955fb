enum colour { RED };
enum light { GREEN, RED };
BEGIN { exit(0); }

/* @rows: type.enum_duplicate */
