/* SPDX-License-Identifier: MIT */
/* args[0] of sqlite:::prepare-start: what all sqlite3_prepare*() are given. */
struct __sqlite_prepare;
typedef struct sqlstmt {
  string s_text;        /* the statement in SQL, or several */
  uintptr_t s_database; /* sqlite3 * */
} sqlstmt_t;
translator sqlstmt_t < struct __sqlite_prepare *P > { s_text = copyinstr(arg1); s_database = arg0; };
