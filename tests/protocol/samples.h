// One message of each kind with every field set to something of its own.
#ifndef HIPCACHE_TESTS_PROTOCOL_SAMPLES_H
#define HIPCACHE_TESTS_PROTOCOL_SAMPLES_H

#include <string>
#include <vector>

#include "hipcache/protocol/messages.h"

namespace hipcache::protocol {

struct Sample {
  std::string name;  // of the file with its golden bytes
  Message message;
};

std::vector<Sample> samples();

}  // namespace hipcache::protocol

#endif
