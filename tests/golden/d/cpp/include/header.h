#define VALUE	7
