/* @rows: pid.path */
/* @sonde: -q -c /bin/true */
/* @status: 1 */
/* @stderr: :/etc/passwd:main:entry does not match any probes: /etc/passwd is no ELF file for */
pid$target:/etc/passwd:main:entry { }
