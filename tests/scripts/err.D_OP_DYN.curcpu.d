BEGIN { trace(curcpu == NULL); }
