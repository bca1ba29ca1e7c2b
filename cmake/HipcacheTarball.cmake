# cpack -G TXZ: the installed tree as one archive, which may be unpacked anywhere.
set(CPACK_GENERATOR TXZ)
set(CPACK_PACKAGE_NAME hipcache)
set(CPACK_PACKAGE_VERSION ${HIPCACHE_VERSION})
set(CPACK_PACKAGE_FILE_NAME hipcache-${HIPCACHE_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 1)  # the same bytes each time
include(CPack)

# Licences ask for their texts beside the code, and another distribution may not have them. Debian keeps one for each package.
if(HIPCACHE_PORTABLE)
  foreach(package IN ITEMS libabsl-dev libarchive-dev libboost1.81-dev libbz2-dev libc-ares-dev libc6-dev libcurl4-openssl-dev
      libfmt-dev libgrpc-dev libhiredis-dev liblz4-dev libprotobuf-dev libre2-dev librocksdb-dev libsnappy-dev libspdlog-dev libssl-dev libstdc++-12-dev
      libtomlplusplus-dev libxxhash-dev libzstd-dev llvm-${LLVM_VERSION_MAJOR}-dev musl-dev nlohmann-json3-dev zlib1g-dev)
    install(FILES /usr/share/doc/${package}/copyright DESTINATION ${HIPCACHE_DOC}/third-party RENAME ${package})
  endforeach()
endif()
