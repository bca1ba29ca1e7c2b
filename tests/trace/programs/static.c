#include <fcntl.h>
#include <stdio.h>

int main(void) { return open("there", O_RDONLY) < 0; }
