_symaddr x;
