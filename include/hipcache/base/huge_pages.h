/* The variable by which a compiler of a miss gets its memory in huge pages: "NAME=value", as in an
 * environment. docs/benchmarks.md, "Where a miss's time goes", has the measurement.
 *
 * The client sets it. The preload library removes it from the environment of the linker that it
 * starts after a compiler. The daemon leaves it out where it compares environments. So all three need
 * one text.
 * For C and C++. */
#ifndef HIPCACHE_BASE_HUGE_PAGES_H
#define HIPCACHE_BASE_HUGE_PAGES_H

#define HIPCACHE_HUGE_PAGES "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"

#endif
