/*
 * LD_PRELOAD library between SQLite and the disk. It records writes and syncs, and makes them fail.
 *
 * DISK_SHIM_FOLDER  the folder of the bank; other files are left alone
 * DISK_SHIM_LOG     appends one record per operation on a file below the folder, and one per HTTP
 *                   response, so that the log tells which syncs preceded which acknowledgement
 * DISK_SHIM_FAULTS  a file that is mapped as `struct faults`: the tests arm and heal faults in it
 *
 * An operation and its record are one critical section: the order of records is the order of
 * operations. The -shm file is not recorded, because recovery does not read it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_FDS 65536
#define MAX_RESPONSE_BYTES 4096
#define DATABASE_NAME "/quaestor.db"

enum { CREATE = 1, WRITE, TRUNCATE, SYNC, SYNC_DIRECTORY, UNLINK, MKDIR, RESPONSE, FAILED_SYNC };

/* Kinds of operations that can fail, as bits of `faults.kinds`. */
enum { FAIL_WRITE = 1, FAIL_SYNC = 2, FAIL_TRUNCATE = 4, FAIL_OPEN = 8, FAIL_READ = 16 };

struct faults {
  uint64_t count; /* operations of these kinds so far */
  uint64_t first; /* the operations from `first` to `last` fail; 0: none */
  uint64_t last;
  uint64_t failed; /* operations that have failed */
  uint32_t kinds;
  uint32_t error;
};

struct record {
  uint32_t kind;
  uint32_t path_bytes;
  uint32_t data_bytes;
  uint32_t unused;
  uint64_t offset;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *paths[MAX_FDS];
static const char *folder;
static size_t folder_length;
static int log_fd = -1;
static struct faults *faults;

__attribute__((constructor)) static void initialize(void) {
  folder = getenv("DISK_SHIM_FOLDER");
  folder_length = folder ? strlen(folder) : 0;
  const char *log = getenv("DISK_SHIM_LOG");
  if (log) log_fd = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  const char *control = getenv("DISK_SHIM_FAULTS");
  if (!control) return;
  int fd = syscall(SYS_openat, AT_FDCWD, control, O_RDWR | O_CLOEXEC, 0);
  void *mapped = mmap(NULL, sizeof(struct faults), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped != MAP_FAILED) faults = mapped;
  syscall(SYS_close, fd);
}

static int below_folder(const char *path) {
  return folder && path && strncmp(path, folder, folder_length) == 0 &&
         (path[folder_length] == '/' || path[folder_length] == 0);
}

static const char *path_of(int fd) { return fd >= 0 && fd < MAX_FDS ? paths[fd] : NULL; }

static int is_shm(const char *path) {
  size_t length = strlen(path);
  return length > 4 && strcmp(path + length - 4, "-shm") == 0;
}

static void append(uint32_t kind, const char *path, uint64_t offset, const void *data, size_t bytes) {
  if (log_fd < 0 || is_shm(path)) return;
  struct record head = {kind, strlen(path), bytes, 0, offset};
  struct iovec parts[3] = {{&head, sizeof head}, {(void *)path, head.path_bytes}, {(void *)data, bytes}};
  if (syscall(SYS_writev, log_fd, parts, 3) < 0) abort();
}

/* Whether this operation is to fail; then errno is set. */
static int fails(uint32_t kind, const char *path) {
  if (!faults || !path || !(faults->kinds & kind) || !strstr(path, DATABASE_NAME)) return 0;
  uint64_t number = __atomic_add_fetch(&faults->count, 1, __ATOMIC_SEQ_CST);
  if (faults->first == 0 || number < faults->first || number > faults->last) return 0;
  __atomic_add_fetch(&faults->failed, 1, __ATOMIC_SEQ_CST);
  errno = faults->error;
  return 1;
}

static int open_file(int directory, const char *path, int flags, mode_t mode) {
  if (!below_folder(path)) return syscall(SYS_openat, directory, path, flags, mode);
  pthread_mutex_lock(&lock);
  struct stat status;
  int created = (flags & O_CREAT) && stat(path, &status) != 0;
  int fd = fails(FAIL_OPEN, path) ? -1 : syscall(SYS_openat, directory, path, flags, mode);
  if (fd >= 0 && fd < MAX_FDS) {
    free(paths[fd]);
    paths[fd] = strdup(path);
    if (created) append(CREATE, path, 0, NULL, 0);
    else if (flags & O_TRUNC) append(TRUNCATE, path, 0, NULL, 0);
  }
  pthread_mutex_unlock(&lock);
  return fd;
}

static mode_t read_mode(int flags, va_list arguments) {
  return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

#define DEFINE_OPEN(name)                             \
  int name(const char *path, int flags, ...) {        \
    va_list arguments;                                \
    va_start(arguments, flags);                       \
    mode_t mode = read_mode(flags, arguments);        \
    va_end(arguments);                                \
    return open_file(AT_FDCWD, path, flags, mode);    \
  }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

int close(int fd) {
  if (path_of(fd)) {
    pthread_mutex_lock(&lock);
    free(paths[fd]);
    paths[fd] = NULL;
    pthread_mutex_unlock(&lock);
  }
  return syscall(SYS_close, fd);
}

/* A write that fails has written its first half: a disk gives no better promise. */
static ssize_t write_at(int fd, const char *path, const void *data, size_t bytes, off_t offset) {
  pthread_mutex_lock(&lock);
  int failed = fails(FAIL_WRITE, path);
  int error = errno;
  ssize_t written = syscall(SYS_pwrite64, fd, data, failed ? bytes / 2 : bytes, offset);
  if (written > 0) append(WRITE, path, offset, data, written);
  pthread_mutex_unlock(&lock);
  if (!failed) return written;
  errno = error;
  return -1;
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset) {
  const char *path = path_of(fd);
  if (!path) return syscall(SYS_pwrite64, fd, data, bytes, offset);
  return write_at(fd, path, data, bytes, offset);
}
ssize_t pwrite64(int fd, const void *data, size_t bytes, off_t offset) {
  return pwrite(fd, data, bytes, offset);
}

static void record_response(const void *data, size_t bytes) {
  if (log_fd < 0 || bytes < 9 || memcmp(data, "HTTP/1.1 ", 9) != 0) return;
  pthread_mutex_lock(&lock);
  append(RESPONSE, "", 0, data, bytes < MAX_RESPONSE_BYTES ? bytes : MAX_RESPONSE_BYTES);
  pthread_mutex_unlock(&lock);
}

ssize_t write(int fd, const void *data, size_t bytes) {
  const char *path = path_of(fd);
  if (!path) {
    record_response(data, bytes);
    return syscall(SYS_write, fd, data, bytes);
  }
  off_t offset = lseek(fd, 0, SEEK_CUR);
  ssize_t written = write_at(fd, path, data, bytes, offset);
  if (written > 0) lseek(fd, offset + written, SEEK_SET);
  return written;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (count > 0) record_response(parts[0].iov_base, parts[0].iov_len);
  return syscall(SYS_writev, fd, parts, count);
}

ssize_t pread64(int fd, void *data, size_t bytes, off_t offset) {
  if (fails(FAIL_READ, path_of(fd))) return -1;
  return syscall(SYS_pread64, fd, data, bytes, offset);
}
ssize_t pread(int fd, void *data, size_t bytes, off_t offset) { return pread64(fd, data, bytes, offset); }

ssize_t read(int fd, void *data, size_t bytes) {
  if (fails(FAIL_READ, path_of(fd))) return -1;
  return syscall(SYS_read, fd, data, bytes);
}

int ftruncate64(int fd, off_t size) {
  const char *path = path_of(fd);
  if (!path) return syscall(SYS_ftruncate, fd, size);
  pthread_mutex_lock(&lock);
  int result = fails(FAIL_TRUNCATE, path) ? -1 : syscall(SYS_ftruncate, fd, size);
  if (result == 0) append(TRUNCATE, path, size, NULL, 0);
  pthread_mutex_unlock(&lock);
  return result;
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

/* The record stands for the sync: where writes are recorded, the disk itself need not sync. */
static int sync_file(int fd, long call) {
  const char *path = path_of(fd);
  if (!path) return syscall(call, fd);
  pthread_mutex_lock(&lock);
  int failed = fails(FAIL_SYNC, path);
  int error = errno;
  struct stat status;
  int directory = fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
  append(failed ? FAILED_SYNC : directory ? SYNC_DIRECTORY : SYNC, path, 0, NULL, 0);
  int result = failed ? -1 : log_fd >= 0 ? 0 : syscall(call, fd);
  pthread_mutex_unlock(&lock);
  if (failed) errno = error;
  return result;
}
int fsync(int fd) { return sync_file(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_file(fd, SYS_fdatasync); }

int unlink(const char *path) {
  if (!below_folder(path)) return syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  pthread_mutex_lock(&lock);
  int result = syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  if (result == 0) append(UNLINK, path, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return result;
}

int mkdir(const char *path, mode_t mode) {
  int result = syscall(SYS_mkdirat, AT_FDCWD, path, mode);
  if (result == 0 && below_folder(path)) {
    pthread_mutex_lock(&lock);
    append(MKDIR, path, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
  }
  return result;
}
