BEGIN { commit(1); raise(9); }
