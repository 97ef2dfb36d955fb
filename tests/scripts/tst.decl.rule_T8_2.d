/* @command: -n 'BEGIN { $1; }' 0x11112222333344445 */
/* @status: 1 */
/* @stderr: macro argument $1 constant 0x11112222333344445 results in integer overflow */
