# Of LLVM some archives: the reader of options and of bit streams, BLAKE3 and MD5. The newest is
# taken that is installed, or the one that LLVM_DIR names, from 19 on: the reader of bit streams of 15 and 16 ends the
# process on damaged bytes, and those of 17 and 18 are untried. Not LLVM's own targets: they name shared
# libraries that these parts do not use, which a static program cannot link. Demangle is for other parts of Support.
set(hints)
foreach(number RANGE 19 30)
  list(PREPEND hints /usr/lib/llvm-${number}/lib/cmake/llvm /usr/lib64/llvm${number}/lib64/cmake/llvm)
endforeach()
find_package(LLVM REQUIRED CONFIG HINTS ${hints})
if(LLVM_VERSION VERSION_LESS 19)
  message(FATAL_ERROR "LLVM ${LLVM_VERSION} of ${LLVM_DIR} is too old: it may end on damaged bit streams. "
    "Install llvm-19-dev or later, or name another with -DLLVM_DIR=DIRECTORY")
endif()
message(STATUS "LLVM ${LLVM_VERSION}: ${LLVM_DIR}")
foreach(part IN ITEMS Support Demangle Option BitstreamReader)
  find_library(HIPCACHE_LLVM_${part} NAMES libLLVM${part}.a HINTS ${LLVM_LIBRARY_DIR} NO_DEFAULT_PATH REQUIRED)
endforeach()
