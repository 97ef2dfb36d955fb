/* @rows: opt.zero_size opt.specsize */
/* @sonde: -x specsize=-40 */
/* @status: 1 */
/* @stderr: failed to set -x specsize: Invalid value for specified option */
BEGIN { exit(0); }
