// A directory as a plain store: a network file system, or a directory that CI keeps between runs.
//
// A value is written to a temporary file and renamed. Lists are changed under a lock (flock) of their directory, which
// network file systems of today share between machines; where they do not, the rename still keeps values whole.
#ifndef HIPCACHE_SRC_REMOTE_BACKENDS_FILE_STORE_H
#define HIPCACHE_SRC_REMOTE_BACKENDS_FILE_STORE_H

#include <memory>
#include <string>

#include "remote/layout/key_value.h"

namespace hipcache::remote {

std::unique_ptr<KeyValue> make_file_store(const std::string& directory);

}  // namespace hipcache::remote

#endif
