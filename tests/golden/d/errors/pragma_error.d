#error "not on this machine"

BEGIN
{
}
