#pragma D nonsense x

BEGIN
{
}
