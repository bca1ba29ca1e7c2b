// What libraries of Debian 12 take from glibc and glibc 2.17 does not have: linked into portable programs
// (cmake/HipcachePortable.cmake).
//
// Each function does what glibc's manual says of it. Those that libraries alone call, and never here, are no exception:
// a symbol that nobody has would keep the program from starting.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// glibc before 2.33 had no stat, but this.
#ifdef __x86_64__
#define STAT_VERSION 1
#else
#define STAT_VERSION 0
#endif
int __xstat(int version, const char* path, struct stat* status);
int __lxstat(int version, const char* path, struct stat* status);
int __fxstat(int version, int file, struct stat* status);
int __fxstatat(int version, int directory, const char* path, struct stat* status, int flags);
int __xmknod(int version, const char* path, mode_t mode, dev_t* device);

int stat(const char* path, struct stat* status) { return __xstat(STAT_VERSION, path, status); }
int lstat(const char* path, struct stat* status) { return __lxstat(STAT_VERSION, path, status); }
int fstat(int file, struct stat* status) { return __fxstat(STAT_VERSION, file, status); }
int fstatat(int directory, const char* path, struct stat* status, int flags) {
  return __fxstatat(STAT_VERSION, directory, path, status, flags);
}
int mknod(const char* path, mode_t mode, dev_t device) { return __xmknod(0, path, mode, &device); }

// On x86-64 and arm64 one structure serves both names.
int stat64(const char* path, struct stat64* status) { return stat(path, (struct stat*)status); }
int lstat64(const char* path, struct stat64* status) { return lstat(path, (struct stat*)status); }
int fstat64(int file, struct stat64* status) { return fstat(file, (struct stat*)status); }

int statx(int directory, const char* restrict path, int flags, unsigned int mask, struct statx* restrict status) {
  return (int)syscall(SYS_statx, directory, path, flags, mask, status);
}

ssize_t getrandom(void* bytes, size_t size, unsigned int flags) {
#ifdef SYS_getrandom
  return syscall(SYS_getrandom, bytes, size, flags);
#else
  errno = ENOSYS;
  return -1;
#endif
}

// The kernel before 3.17 has no getrandom.
static int read_random(unsigned char* bytes, size_t size) {
  for (size_t filled = 0; filled < size;) {
    ssize_t got = getrandom(bytes + filled, size - filled, 0);
    if (got < 0 && errno == ENOSYS) {
      int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
      got = file < 0 ? -1 : read(file, bytes + filled, size - filled);
      if (file >= 0) close(file);
    }
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return -1;
    filled += (size_t)got;
  }
  return 0;
}

int getentropy(void* bytes, size_t size) {
  if (size > 256) {
    errno = EIO;
    return -1;
  }
  return read_random(bytes, size);
}

void arc4random_buf(void* bytes, size_t size) {
  if (read_random(bytes, size) != 0) abort();
}

uint32_t arc4random(void) {
  uint32_t number;
  arc4random_buf(&number, sizeof number);
  return number;
}

int memfd_create(const char* name, unsigned int flags) { return (int)syscall(SYS_memfd_create, name, flags); }

// libstdc++ leaves out atomic operations if it is set. These programs have threads.
char __libc_single_threaded = 0;

// Waits by the clock of pthread_cond_timedwait, which is CLOCK_REALTIME. Waiters look at their condition and their
// clock again, so a changed date makes a wait shorter or longer and nothing else.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  if (clock == CLOCK_REALTIME) return pthread_cond_timedwait(condition, mutex, until);
  struct timespec now, real;
  if (clock_gettime(clock, &now) != 0 || clock_gettime(CLOCK_REALTIME, &real) != 0) return EINVAL;
  const int64_t second = 1000000000;
  const int64_t left = (until->tv_sec - now.tv_sec) * second + (until->tv_nsec - now.tv_nsec);
  if (left <= 0) return ETIMEDOUT;
  const int64_t nanoseconds = real.tv_nsec + left % second;
  real.tv_sec += left / second + nanoseconds / second;
  real.tv_nsec = nanoseconds % second;
  return pthread_cond_timedwait(condition, mutex, &real);
}

// libgcc asks where the frames of a function are described, when an exception passes it.
struct Search {
  uintptr_t at;
  struct dl_find_object* found;
};

static int look_into_object(struct dl_phdr_info* object, size_t size, void* data) {
  (void)size;
  struct Search* search = data;
  uintptr_t frames = 0, begin = 0, end = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &object->dlpi_phdr[i];
    const uintptr_t address = object->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_GNU_EH_FRAME) frames = address;
    if (part->p_type == PT_LOAD && search->at - address < part->p_memsz) {
      begin = address;
      end = address + part->p_memsz;
    }
  }
  if (end == 0) return 0;
  if (frames == 0) return -1;
  *search->found = (struct dl_find_object){
      .dlfo_map_start = (void*)begin, .dlfo_map_end = (void*)end, .dlfo_eh_frame = (void*)frames};
  return 1;
}

int _dl_find_object(void* address, struct dl_find_object* found) {
  struct Search search = {(uintptr_t)address, found};
  return dl_iterate_phdr(look_into_object, &search) == 1 ? 0 : -1;
}

// Destructors of thread_local objects run when their thread ends, the youngest first; those of the first thread at
// exit.
struct Ending {
  void (*destroy)(void*);
  void* object;
  struct Ending* next;
};

static pthread_key_t endings;
static pthread_once_t has_endings = PTHREAD_ONCE_INIT;

static void run_endings(void* list) {
  // A destructor may make further objects.
  for (struct Ending* ending = list; ending != NULL;) {
    pthread_setspecific(endings, ending->next);
    ending->destroy(ending->object);
    free(ending);
    ending = pthread_getspecific(endings);
  }
}

static void run_endings_of_thread(void) {
  run_endings(pthread_getspecific(endings));
  pthread_setspecific(endings, NULL);
}

static void make_endings(void) {
  if (pthread_key_create(&endings, run_endings) != 0 || atexit(run_endings_of_thread) != 0) abort();
}

int __cxa_thread_atexit_impl(void (*destroy)(void*), void* object, void* library) {
  (void)library;
  pthread_once(&has_endings, make_endings);
  struct Ending* ending = malloc(sizeof *ending);
  if (ending == NULL) return -1;
  *ending = (struct Ending){destroy, object, pthread_getspecific(endings)};
  return pthread_setspecific(endings, ending);
}

// Up to glibc 2.33 the program itself ran its constructors, by a function that it handed to the C library. Debian 12's
// crt1.o hands none. Newer C libraries run such a function as well.
typedef int Main(int, char**, char**);
int __real___libc_start_main(Main* main, int argc, char** argv, void (*init)(int, char**, char**), void (*fini)(void),
                             void (*loader_fini)(void), void* stack_end);
extern void (*__init_array_start[])(int, char**, char**) __attribute__((visibility("hidden")));
extern void (*__init_array_end[])(int, char**, char**) __attribute__((visibility("hidden")));
void _init(void);

static void run_constructors(int argc, char** argv, char** environment) {
  _init();
  for (void (**one)(int, char**, char**) = __init_array_start; one != __init_array_end; ++one)
    (*one)(argc, argv, environment);
}

int __wrap___libc_start_main(Main* main, int argc, char** argv, void (*init)(int, char**, char**), void (*fini)(void),
                             void (*loader_fini)(void), void* stack_end) {
  (void)init;
  return __real___libc_start_main(main, argc, argv, run_constructors, fini, loader_fini, stack_end);
}
