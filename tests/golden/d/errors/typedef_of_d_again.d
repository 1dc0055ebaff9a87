/* Of a script it is a mistake. */
typedef unsigned short uint8_t;
