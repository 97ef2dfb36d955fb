/* @rows: opt.format_unknown */
/* @sonde: -q -x format=xml */
/* @status: 1 */
/* @stderr: failed to set -x format: Invalid value for specified option */
/* @stderr: one of text, jsonl, json, csv, folded, svg, chrome */
/* a format that there is none of */
BEGIN { exit(0); }
