# What an installed tree has beside the programs and the trace library (cmake/HipcacheLayout.cmake).

# The programs contain libraries whose licences ask for this.
install(FILES LICENSE THIRD-PARTY.md DESTINATION ${HIPCACHE_DOC})
