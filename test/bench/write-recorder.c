/*
 * Records what a process writes to telemetry.db and its logs, in order, with the moments at which it asked the disk to keep it.
 * POWER_CUT_LOG names the record. Build: cc -shared -fPIC -o write-recorder.so write-recorder.c -ldl -lpthread
 *
 * Entries, little-endian: u8 kind, u8 file (0 telemetry.db, 1 telemetry.db-wal, 1 + n telemetry.db-hot<n>), u16 0, u32 length, u64 offset, then the data.
 * Kinds: 1 write, 2 truncate to offset, 3 sync, 4 mark of the program's own (offset is its number).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILES 4096
static signed char file_of[FILES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *record;

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static void put(int kind, int file, uint64_t offset, const void *data, uint32_t length) {
  if (!record) {
    const char *path = getenv("POWER_CUT_LOG");
    record = fopen(path ? path : "/dev/null", "wb");
    if (!record) abort();
  }
  unsigned char head[16] = {(unsigned char)kind, (unsigned char)file};
  memcpy(head + 4, &length, 4);
  memcpy(head + 8, &offset, 8);
  fwrite(head, 1, sizeof head, record);
  if (length) fwrite(data, 1, length, record);
}

static int ends_with(const char *text, const char *end) {
  size_t a = strlen(text), b = strlen(end);
  return a >= b && strcmp(text + a - b, end) == 0;
}

/* One more than the number of the file in an entry; 0 for others. */
static signed char file_number(const char *path) {
  if (ends_with(path, "telemetry.db")) return 1;
  if (ends_with(path, "telemetry.db-wal")) return 2;
  const char *hot = strstr(path, "telemetry.db-hot");
  return hot ? (signed char)(2 + atoi(hot + strlen("telemetry.db-hot"))) : 0;
}

static int note(int fd, const char *path) {
  if (fd >= 0 && fd < FILES) file_of[fd] = file_number(path);
  return fd;
}

/* The runtime opens files by system calls of its own. */
static int recorded(int fd) {
  if (fd < 0 || fd >= FILES) return 0;
  if (file_of[fd] == 0) {
    char link[32], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    file_of[fd] = file_number(path);
  }
  return file_of[fd] > 0;
}

int open(const char *path, int flags, ...) {
  REAL(int, "open", const char *, int, ...);
  va_list args;
  va_start(args, flags);
  mode_t mode = va_arg(args, mode_t);
  va_end(args);
  return note(real(path, flags, mode), path);
}

int open64(const char *path, int flags, ...) {
  REAL(int, "open64", const char *, int, ...);
  va_list args;
  va_start(args, flags);
  mode_t mode = va_arg(args, mode_t);
  va_end(args);
  return note(real(path, flags, mode), path);
}

int close(int fd) {
  REAL(int, "close", int);
  if (fd >= 0 && fd < FILES) file_of[fd] = 0;
  return real(fd);
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
  if (!recorded(fd)) return real(fd, data, length, offset);
  pthread_mutex_lock(&lock);
  ssize_t written = real(fd, data, length, offset);
  if (written > 0) put(1, file_of[fd] - 1, (uint64_t)offset, data, (uint32_t)written);
  pthread_mutex_unlock(&lock);
  return written;
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) { return pwrite64(fd, data, length, offset); }

/* What is not modelled must not go by unseen. */
ssize_t write(int fd, const void *data, size_t length) {
  REAL(ssize_t, "write", int, const void *, size_t);
  if (recorded(fd)) abort();
  return real(fd, data, length);
}

int fallocate(int fd, int mode, off_t offset, off_t length) {
  REAL(int, "fallocate", int, int, off_t, off_t);
  if (recorded(fd)) abort();
  return real(fd, mode, offset, length);
}

static int truncated(int fd, int result, off64_t length) {
  if (result == 0) put(2, file_of[fd] - 1, (uint64_t)length, NULL, 0);
  pthread_mutex_unlock(&lock);
  return result;
}

int ftruncate64(int fd, off64_t length) {
  REAL(int, "ftruncate64", int, off64_t);
  if (!recorded(fd)) return real(fd, length);
  pthread_mutex_lock(&lock);
  return truncated(fd, real(fd, length), length);
}

int ftruncate(int fd, off_t length) {
  REAL(int, "ftruncate", int, off_t);
  if (!recorded(fd)) return real(fd, length);
  pthread_mutex_lock(&lock);
  return truncated(fd, real(fd, length), length);
}

/* The sync counts from its return on: a cut during it keeps no more than one before it. */
static int synced(int fd, int result) {
  if (result == 0 && recorded(fd)) {
    pthread_mutex_lock(&lock);
    put(3, file_of[fd] - 1, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
  }
  return result;
}

int fsync(int fd) {
  REAL(int, "fsync", int);
  return synced(fd, real(fd));
}

int fdatasync(int fd) {
  REAL(int, "fdatasync", int);
  return synced(fd, real(fd));
}

/* For the program itself, whose runtime makes system calls of its own. */
int power_cut_write(int fd, const void *data, int length, double offset) {
  return (int)pwrite64(fd, data, (size_t)length, (off64_t)offset);
}

void power_cut_mark(double number) {
  pthread_mutex_lock(&lock);
  put(4, 0, (uint64_t)number, NULL, 0);
  pthread_mutex_unlock(&lock);
}

void power_cut_end(void) {
  pthread_mutex_lock(&lock);
  if (record) fflush(record);
  pthread_mutex_unlock(&lock);
}
