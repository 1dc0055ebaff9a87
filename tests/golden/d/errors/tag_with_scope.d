/* The tag is read without a word; it is the braces that say nothing. */
union far`away
{
};
