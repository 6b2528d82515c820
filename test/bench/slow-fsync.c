/* Makes every fsync and fdatasync take 20 ms longer, as on a slow SD card. Build: cc -shared -fPIC -o slow-fsync.so slow-fsync.c -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

#define DELAY_US 20000

int fsync(int fd) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  usleep(DELAY_US);
  return real(fd);
}

int fdatasync(int fd) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  usleep(DELAY_US);
  return real(fd);
}
