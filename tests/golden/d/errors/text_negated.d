BEGIN { x = -"a"; }
