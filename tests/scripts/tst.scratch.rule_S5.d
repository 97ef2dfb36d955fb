BEGIN { printf("[%s][%s][%s][%s]", cleanpath("./"), cleanpath("p/q/"), cleanpath("/p//q/./"), cleanpath("p/..")); exit(0); }
