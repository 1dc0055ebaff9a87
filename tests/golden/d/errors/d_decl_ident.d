typedef int foo;
int string string;
