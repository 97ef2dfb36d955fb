/* @rows: opt.nspec */
/* @sonde: -x nspec=245566729809009887663 */
/* @status: 1 */
/* @stderr: failed to set -x nspec: Invalid value for specified option */
BEGIN { exit(0); }
