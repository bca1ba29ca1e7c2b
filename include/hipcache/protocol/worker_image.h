// What an action of remote execution takes from its worker's image, and how its shell gets there.
//
// The problem: the names in an action are absolute, as here, because objects, depfiles and messages have them. Some
// engines make the input root the worker's "/" (buildbox). Most run a command in a directory that holds the input root.
// The choice: an action's command is a shell. If its directory is "/", it runs the script. Else it makes the input root
// its own "/", in a mount namespace, with the image's directories in it: by unshare, mount and chroot, which
// Debian's images have. If the worker's container forbids that, the shell fails, says so, and the step runs at home.
// Rejected: bubblewrap, which is one more package on each image; names rewritten in the command line, because they show
// in what is made; a preloaded library that redirects each name, because it must know every call.
//
// Thread-safe. The functions look at this machine's directories.
#ifndef HIPCACHE_PROTOCOL_WORKER_IMAGE_H
#define HIPCACHE_PROTOCOL_WORKER_IMAGE_H

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/protocol/remote_messages.h"

namespace hipcache::protocol {

// Of every image, beside the toolchain.
inline constexpr std::array<std::string_view, 7> kSystemDirectories = {"/usr",   "/bin",   "/sbin",  "/lib",
                                                                       "/lib32", "/lib64", "/libx32"};

// Those of them that are links here, as /lib is one to usr/lib: the loader and the shell are found by these.
std::vector<ExecuteInput> links_of_system();

// The command that runs the script of a shell with the input root as "/". Its last word is the script. `toolchain`: a
// further directory of the image, absolute; or empty. "/" is none, and one of the system's is there already. REQUIRES:
// the action's working directory is "/".
std::vector<std::string> in_input_root(const std::string& script, const std::string& toolchain);

}  // namespace hipcache::protocol

#endif
