enum e { A`B };
