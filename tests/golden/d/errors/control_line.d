#nonsense

BEGIN
{
}
