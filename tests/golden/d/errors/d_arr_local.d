BEGIN { this->x[1] = 1; }
