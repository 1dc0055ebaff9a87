translator int < int *i > { };
