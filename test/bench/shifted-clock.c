/* Shifts the wall clock by the 64-bit number of seconds in the file named by CLOCK_SHIFT. Build: cc -shared -fPIC -o shifted-clock.so shifted-clock.c -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static int64_t shift_seconds(void) {
  static volatile int64_t *shift;
  if (shift == NULL) {
    const char *path = getenv("CLOCK_SHIFT");
    int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    void *mapped = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
    static int64_t none;
    shift = mapped == MAP_FAILED ? &none : mapped;
  }
  return *shift;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += shift_seconds();
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  static int (*real)(struct timeval *, void *);
  if (!real) real = (int (*)(struct timeval *, void *))dlsym(RTLD_NEXT, "gettimeofday");
  int result = real(time, zone);
  if (result == 0) time->tv_sec += shift_seconds();
  return result;
}
