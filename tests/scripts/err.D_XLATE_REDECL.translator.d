struct input_struct { int i; }; struct output_struct { int o; };
translator struct output_struct < struct input_struct *p > { o = p->i; };
translator struct output_struct < struct input_struct *q > { o = q->i; };
