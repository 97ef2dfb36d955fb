/* @command: -e -xmaxframes=5 -n BEGIN */
