/* A file that is read and written by system calls that no trace sees: an input that hipcache cannot know. */
#ifndef HIPCACHE_TESTS_INTEGRATION_SUPPORT_COMPILERS_HIDDEN_FILE_H
#define HIPCACHE_TESTS_INTEGRATION_SUPPORT_COMPILERS_HIDDEN_FILE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the file into `text`, with a zero at its end and without a newline there; "" if there is none. */
void hidden_read(const char* path, char* text, unsigned long size);

/* Adds an empty line to the file. */
void hidden_edit(const char* path);

#ifdef __cplusplus
}
#endif

#endif
