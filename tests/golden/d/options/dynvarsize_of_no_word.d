self uint64_t x;

BEGIN { self->x = 1; }
