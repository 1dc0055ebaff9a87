/* Nobody has probes of a provider with this name, so nothing begins. */
BEGIN
{
	trace("begun");
}

pid1:libc:malloc:entry
{
	trace(arg0);
}
