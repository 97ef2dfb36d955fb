# computes until it is stopped
while :; do :; done
