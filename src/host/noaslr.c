/* noaslr.c - see noaslr.h. */
#include "host/noaslr.h"
#include <sys/personality.h>

bool pd_env_fix(void)
{
	int now = personality(0xffffffff);

	return now >= 0 && personality((unsigned long)now | ADDR_NO_RANDOMIZE) >= 0;
}
