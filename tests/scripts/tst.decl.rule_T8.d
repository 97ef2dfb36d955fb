/* @status: 1 */
/* @stderr: Insufficient tuple registers to generate code */
BEGIN { m[1,2,3,4,5,6,7,8,9,10,11,12] = 1; exit(0); }
