#include "trace/file_system_times.h"

#include <linux/magic.h>

/* Not in every linux/magic.h. */
#define BCACHEFS 0xca451a4eUL
#define CEPH 0x00c36400UL
#define EROFS 0xe0f5e1e2UL
#define GFS2 0x01161970UL
#define GPFS 0x47504653UL
#define JFS 0x3153464aUL
#define LUSTRE 0x0bd00bd0UL
#define OCFS2 0x7461636fUL
#define UBIFS 0x24051905UL
#define XFS 0x58465342UL
#define ZFS 0x2fc12fc1UL

enum trace_times trace_times_of(unsigned long file_system) {
  switch (file_system) {
    case BCACHEFS:
    case BTRFS_SUPER_MAGIC:
    case CEPH:
    case EXT4_SUPER_MAGIC: /* and ext2, ext3 */
    case F2FS_SUPER_MAGIC:
    case GFS2:
    case GPFS:
    case JFS:
    case LUSTRE:
    case NFS_SUPER_MAGIC:
    case NILFS_SUPER_MAGIC:
    case OCFS2:
    case OVERLAYFS_SUPER_MAGIC: /* shows the times of its layers */
    case RAMFS_MAGIC:
    case REISERFS_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case UBIFS:
    case XFS:
    case ZFS:
      return TRACE_TIMES_SHOW_CHANGES;
    case CRAMFS_MAGIC:
    case EROFS:
    case ISOFS_SUPER_MAGIC:
    case SQUASHFS_MAGIC:
      return TRACE_TIMES_OF_IMAGE;
    case BPF_FS_MAGIC:
    case CGROUP2_SUPER_MAGIC:
    case CGROUP_SUPER_MAGIC:
    case DEBUGFS_MAGIC:
    case DEVPTS_SUPER_MAGIC:
    case PROC_SUPER_MAGIC:
    case SECURITYFS_MAGIC:
    case SYSFS_MAGIC:
    case TRACEFS_MAGIC:
      return TRACE_TIMES_OF_KERNEL;
    default:
      return TRACE_TIMES_PROVE_NOTHING;
  }
}

/* Without libc's functions, which have other names in newer libcs. */
static unsigned take_number(const char** text) {
  enum { DECIMAL = 10, MOST = 10000 };
  unsigned number = 0;
  for (; **text >= '0' && **text <= '9' && number < MOST; ++*text) number = number * DECIMAL + (unsigned)(**text - '0');
  return number;
}

bool trace_times_are_fine(unsigned long file_system, const char* release) {
  enum { MAJOR = 6, MINOR = 13 };
  const unsigned major = take_number(&release);
  if (*release == '.') ++release;
  const unsigned minor = take_number(&release);
  if (major < MAJOR || (major == MAJOR && minor < MINOR)) return false;
  return file_system == BTRFS_SUPER_MAGIC || file_system == EXT4_SUPER_MAGIC || file_system == TMPFS_MAGIC ||
         file_system == XFS;
}
