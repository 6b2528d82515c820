/* Makes every fsync and fdatasync fail with EIO while the file named by FSYNC_FAILS exists. Build: cc -shared -fPIC -o failing-fsync.so failing-fsync.c -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int sync_or_fail(const char *name, int fd) {
  const char *trigger = getenv("FSYNC_FAILS");
  if (trigger != NULL && access(trigger, F_OK) == 0) {
    errno = EIO;
    return -1;
  }
  return ((int (*)(int))dlsym(RTLD_NEXT, name))(fd);
}

int fsync(int fd) { return sync_or_fail("fsync", fd); }
int fdatasync(int fd) { return sync_or_fail("fdatasync", fd); }
