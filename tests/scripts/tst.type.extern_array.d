/* @rows: type.extern_array */
/* @command: -e -s @script@ */
/* An array that is only declared needs no size. */

extern int arr[];
extern int grid[3][4];
BEGIN { exit(0); }
