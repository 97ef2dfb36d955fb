# computes until it is killed
while :; do :; done
