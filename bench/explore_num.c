/*
 * explore_num.c - base64, and then a decimal number in what it decodes to: 4 bytes of input, 4 that
 * are fixed. Conditions on one number depend on several bytes, by shifts and products: some need a
 * solver.
 */
#include <stdint.h>
#include <unistd.h>

static int digit64(unsigned char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+')
		return 62;
	if (c == '/')
		return 63;
	return -1;
}

static int decode(const unsigned char *b, unsigned char *o)
{
	for (int i = 0; i < 8; i += 4) {
		uint32_t w = 0;

		for (int j = 0; j < 4; j++) {
			int d = digit64(b[i + j]);

			if (d < 0)
				return -1 - i - j;
			w = w << 6 | (uint32_t)d;
		}
		*o++ = (unsigned char)(w >> 16);
		*o++ = (unsigned char)(w >> 8);
		*o++ = (unsigned char)w;
	}
	return 0;
}

static int number(const unsigned char *o)
{
	int negative = 0, i = 0, digits = 0;
	long v = 0;

	if (o[0] == '-') {
		negative = 1;
		i = 1;
	}
	for (; i < 6 && o[i] >= '0' && o[i] <= '9'; i++, digits++)
		v = v * 10 + (o[i] - '0');
	if (!digits)
		return -20;
	if (negative)
		v = -v;
	if (v == 31337)
		return 1000;
	if (v >= 100000)
		return 2000;
	if (v < -999)
		return 3000;
	return (int)v;
}

int main(void)
{
	unsigned char b[8] = {0, 0, 0, 0, 'M', 'z', 'M', '3'}, o[6];
	int r;

	if (read(0, b, 4) != 4)
		return 64;
	r = decode(b, o);
	return (r ? r : number(o)) & 63;
}
