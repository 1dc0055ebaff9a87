/* Not D. */
typedef nothing_known word_t;
