long int32_t v;
