/* Files that libc opens by itself, without a call that a hook sees: locales, message catalogues, tables of character
 * sets. After a call that makes libc do so, the hook records all files that libc may have opened, found or not, in
 * their present state. Some of them may not have been opened; the extra questions do no harm. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <libintl.h>
#include <locale.h>
#include <nl_types.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "trace/preload/call.h"
#include "trace/preload/internal.h"

enum { NAME_LIMIT = 128, DIRECTORY_LIMIT = 512, DOMAINS = 8 };

static const char kLocales[] = "/usr/lib/locale";
static const char kCatalogues[] = "/usr/share/locale";

/* Appends; false if there is no room. */
static bool add(char* text, size_t room, const char* more, size_t length) {
  const size_t used = strlen(text);
  if (used + length >= room) return false;
  memcpy(text + used, more, length);
  text[used + length] = '\0';
  return true;
}

/* The parts of a locale's name, language[_territory][.codeset][@modifier], each with the separator before it. */
struct locale_name {
  const char* language;
  size_t language_length;
  const char* territory;
  size_t territory_length;
  const char* codeset;
  size_t codeset_length;
  const char* modifier;
  size_t modifier_length;
  char normal[NAME_LIMIT]; /* the codeset as in libc's directory names: "utf8" for "UTF-8" */
};

static bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

static void normalise_codeset(struct locale_name* name) {
  size_t used = 1;
  name->normal[0] = '.';
  for (size_t i = 1; i < name->codeset_length && used + 1 < sizeof name->normal; ++i) {
    const char c = name->codeset[i];
    const char low = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    if (is_letter_or_digit(low)) name->normal[used++] = low;
  }
  name->normal[name->codeset_length == 0 ? 0 : used] = '\0';
}

static struct locale_name split(const char* text, size_t length) {
  struct locale_name name = {.language = text};
  size_t at = 0;
  while (at < length && text[at] != '_' && text[at] != '.' && text[at] != '@') ++at;
  name.language_length = at;
  name.territory = text + at;
  if (at < length && text[at] == '_')
    while (at < length && text[at] != '.' && text[at] != '@') ++at;
  name.territory_length = (size_t)(text + at - name.territory);
  name.codeset = text + at;
  if (at < length && text[at] == '.')
    while (at < length && text[at] != '@') ++at;
  name.codeset_length = (size_t)(text + at - name.codeset);
  name.modifier = text + at;
  name.modifier_length = length - at;
  normalise_codeset(&name);
  return name;
}

/* Records the file below `directory` in each spelling of the locale that libc tries. */
static void saw_in_each_spelling(const char* directory, size_t directory_length, const char* locale, size_t length,
                                 const char* file) {
  const struct locale_name name = split(locale, length);
  const bool is_normal =
      name.codeset_length == strlen(name.normal) && memcmp(name.codeset, name.normal, name.codeset_length) == 0;
  for (unsigned form = 0; form < 12; ++form) {
    const unsigned codeset = form % 3; /* 0: as given, 1: normalised, 2: none */
    const bool without_territory = form / 3 % 2 == 1;
    const bool without_modifier = form / 6 == 1;
    if ((without_territory && name.territory_length == 0) || (without_modifier && name.modifier_length == 0) ||
        (codeset > 0 && name.codeset_length == 0) || (codeset == 1 && is_normal))
      continue;
    char path[DIRECTORY_LIMIT + 4 * NAME_LIMIT] = "";
    bool fits = add(path, sizeof path, directory, directory_length) && add(path, sizeof path, "/", 1) &&
                add(path, sizeof path, name.language, name.language_length);
    if (!without_territory) fits = fits && add(path, sizeof path, name.territory, name.territory_length);
    if (codeset == 0) fits = fits && add(path, sizeof path, name.codeset, name.codeset_length);
    if (codeset == 1) fits = fits && add(path, sizeof path, name.normal, strlen(name.normal));
    if (!without_modifier) fits = fits && add(path, sizeof path, name.modifier, name.modifier_length);
    fits = fits && add(path, sizeof path, "/", 1) && add(path, sizeof path, file, strlen(file));
    if (fits) {
      trace_saw_file(path);
    } else {
      trace_unknown("a locale's files", locale);
    }
  }
}

/* The next entry of a colon-separated list; false at its end. */
static bool next_entry(const char** rest, const char** entry, size_t* length) {
  while (**rest == ':') ++*rest;
  *entry = *rest;
  *length = strcspn(*rest, ":");
  *rest += *length;
  return *length > 0;
}

/* Locales that are built into libc have no files. */
static bool is_built_in(const char* locale, size_t length) {
  return (length == 1 && locale[0] == 'C') || (length == 5 && memcmp(locale, "POSIX", length) == 0);
}

static const char* value_of(const char* variable) {
  const char* value = trace_environment(variable);
  trace_emit(TRACE_VARIABLE, value != NULL, variable);
  return value != NULL && *value != '\0' ? value : NULL;
}

static const struct {
  int category;
  const char* name;
  const char* files[2];
} kCategories[] = {{LC_CTYPE, "LC_CTYPE", {"LC_CTYPE"}},
                   {LC_NUMERIC, "LC_NUMERIC", {"LC_NUMERIC"}},
                   {LC_TIME, "LC_TIME", {"LC_TIME"}},
                   {LC_COLLATE, "LC_COLLATE", {"LC_COLLATE"}},
                   {LC_MONETARY, "LC_MONETARY", {"LC_MONETARY"}},
                   {LC_MESSAGES, "LC_MESSAGES", {"LC_MESSAGES", "LC_MESSAGES/SYS_LC_MESSAGES"}},
                   {LC_PAPER, "LC_PAPER", {"LC_PAPER"}},
                   {LC_NAME, "LC_NAME", {"LC_NAME"}},
                   {LC_ADDRESS, "LC_ADDRESS", {"LC_ADDRESS"}},
                   {LC_TELEPHONE, "LC_TELEPHONE", {"LC_TELEPHONE"}},
                   {LC_MEASUREMENT, "LC_MEASUREMENT", {"LC_MEASUREMENT"}},
                   {LC_IDENTIFICATION, "LC_IDENTIFICATION", {"LC_IDENTIFICATION"}}};
enum { CATEGORIES = sizeof kCategories / sizeof *kCategories };

/* The kernel's layout. */
struct directory_entry {
  uint64_t inode;
  int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[];
};

static bool is_table(const char* name) {
  static const char kEnding[] = ".conf";
  const size_t length = strlen(name);
  return length >= sizeof kEnding && strcmp(name + length - (sizeof kEnding - 1), kEnding) == 0;
}

/* libc reads each table in the directory, so the listing is an input as well as the tables. */
static void saw_tables_in(const char* directory) {
  if (!trace_active()) return;
  const int saved = errno;
  const int fd = (int)trace_call(SYS_openat, AT_FDCWD, directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  trace_saw(TRACE_LIST, directory, fd >= 0, trace_seen_descriptor(fd));
  _Alignas(struct directory_entry) char entries[1024];
  long filled = 0;
  while (fd >= 0 && (filled = trace_call(SYS_getdents64, fd, entries, sizeof entries)) > 0)
    for (long at = 0; at < filled;) {
      const struct directory_entry* entry = (const struct directory_entry*)(entries + at);
      char path[DIRECTORY_LIMIT] = "";
      if (is_table(entry->name) && add(path, sizeof path, directory, strlen(directory)) &&
          add(path, sizeof path, "/", 1) && add(path, sizeof path, entry->name, strlen(entry->name)))
        trace_saw_file(path);
      at += entry->length;
    }
  if (filled < 0) trace_unknown("getdents64", directory);
  if (fd >= 0) (void)trace_call(SYS_close, fd);
  errno = saved;
}

/* The tables of character sets, in the directories where libc may have been built to look, and their cache. The tables
 * count even if there is a cache, because libc ignores a damaged cache. A user's own path (GCONV_PATH) means many files
 * in many places, so it is unknown. */
static void saw_character_sets(void) {
  static const struct {
    const char* cache;
    const char* tables;
    const char* more_tables;
  } kPlaces[] = {
#define PLACE(directory) {directory "/gconv-modules.cache", directory "/gconv-modules", directory "/gconv-modules.d"}
#if defined __x86_64__
      PLACE("/usr/lib/x86_64-linux-gnu/gconv"),
#elif defined __aarch64__
      PLACE("/usr/lib/aarch64-linux-gnu/gconv"),
#endif
      PLACE("/usr/lib64/gconv"), PLACE("/usr/lib/gconv")};
#undef PLACE
  if (value_of("GCONV_PATH") != NULL) trace_unknown("GCONV_PATH", "tables of character sets of the user's");
  for (size_t i = 0; i < sizeof kPlaces / sizeof *kPlaces; ++i) {
    trace_saw_file(kPlaces[i].cache);
    trace_saw_file(kPlaces[i].tables);
    saw_tables_in(kPlaces[i].more_tables);
    if (trace_existed(AT_FDCWD, kPlaces[i].cache, O_CREAT)) return;
  }
}

static void saw_locale(size_t category, const char* locale) {
  const size_t length = strlen(locale);
  if (is_built_in(locale, length)) return;
  const char* rest = value_of("LOCPATH");
  if (rest == NULL) {
    rest = kLocales;
    trace_saw_file("/usr/lib/locale/locale-archive");
  }
  trace_saw_file("/usr/share/locale/locale.alias");
  const char* directory = NULL;
  size_t directory_length = 0;
  while (next_entry(&rest, &directory, &directory_length))
    for (size_t file = 0; file < 2 && kCategories[category].files[file] != NULL; ++file)
      saw_in_each_spelling(directory, directory_length, locale, length, kCategories[category].files[file]);
  if (kCategories[category].category == LC_CTYPE) saw_character_sets();
}

/* The locale that the environment asks for; NULL for the built-in one. */
static const char* wanted_locale(const char* category) {
  const char* const all = value_of("LC_ALL");
  const char* const own = value_of(category);
  const char* const any = value_of("LANG");
  return all != NULL ? all : own != NULL ? own : any;
}

/* A name with ';' comes from setlocale itself, and names locales that were loaded before. */
static void saw_category(size_t category, const char* locale) {
  if (locale[0] == '\0') locale = wanted_locale(kCategories[category].name);
  if (locale != NULL && strpbrk(locale, ";=") == NULL) saw_locale(category, locale);
}

/* The directory of each domain's catalogues. Each is written once, and read only when complete. */
struct domain {
  _Atomic bool complete;
  char name[NAME_LIMIT];
  char directory[DIRECTORY_LIMIT];
};
static struct domain domains[DOMAINS];
static _Atomic unsigned domain_count;

static void saw_catalogues_of(const char* domain, const char* directory, const char* languages) {
  char file[NAME_LIMIT + 32] = "LC_MESSAGES/";
  if (!add(file, sizeof file, domain, strlen(domain)) || !add(file, sizeof file, ".mo", 3)) {
    trace_unknown("a message catalogue", domain);
    return;
  }
  const char* language = NULL;
  size_t length = 0;
  while (next_entry(&languages, &language, &length))
    if (!is_built_in(language, length)) saw_in_each_spelling(directory, strlen(directory), language, length, file);
}

TRACE_HOOK(setlocale);

static void saw_catalogues(const char* domain, const char* directory) {
  const char* locale = TRACE_REAL(setlocale)(LC_MESSAGES, NULL);
  if (locale == NULL || is_built_in(locale, strlen(locale))) return;
  const char* languages = value_of("LANGUAGE");
  (void)value_of("OUTPUT_CHARSET");
  trace_saw_file("/usr/share/locale/locale.alias");
  saw_catalogues_of(domain, directory, languages != NULL ? languages : locale);
}

static void saw_all_catalogues(void) {
  saw_catalogues("libc", kCatalogues);
  for (unsigned i = 0; i < DOMAINS; ++i)
    if (atomic_load_explicit(&domains[i].complete, memory_order_acquire))
      saw_catalogues(domains[i].name, domains[i].directory);
}

TRACE_EXPORT char* setlocale(int category, const char* locale) {
  char* result = TRACE_REAL(setlocale)(category, locale);
  if (locale == NULL || !trace_active()) return result;
  for (size_t i = 0; i < CATEGORIES; ++i)
    if (category == LC_ALL || category == kCategories[i].category) saw_category(i, locale);
  if (category == LC_ALL || category == LC_MESSAGES) saw_all_catalogues();
  return result;
}

TRACE_HOOK(newlocale);
TRACE_EXPORT locale_t newlocale(int mask, const char* locale, locale_t base) {
  locale_t result = TRACE_REAL(newlocale)(mask, locale, base);
  for (size_t i = 0; locale != NULL && trace_active() && i < CATEGORIES; ++i)
    if ((mask & 1 << kCategories[i].category) != 0) saw_category(i, locale);
  return result;
}

static void remember_domain(const char* name, const char* directory) {
  const unsigned place = atomic_fetch_add(&domain_count, 1);
  if (place >= DOMAINS || strlen(name) >= NAME_LIMIT || strlen(directory) >= DIRECTORY_LIMIT) {
    trace_unknown("bindtextdomain", name);
    return;
  }
  strcpy(domains[place].name, name);
  strcpy(domains[place].directory, directory);
  atomic_store_explicit(&domains[place].complete, true, memory_order_release);
}

static bool is_remembered(const char* name, const char* directory) {
  for (unsigned i = 0; i < DOMAINS; ++i)
    if (atomic_load_explicit(&domains[i].complete, memory_order_acquire) && strcmp(domains[i].name, name) == 0 &&
        (directory == NULL || strcmp(domains[i].directory, directory) == 0))
      return true;
  return false;
}

static void saw_domain(const char* name, const char* directory) {
  if (name == NULL || name[0] == '\0' || !trace_active()) return;
  const int saved = errno;
  if (!is_remembered(name, directory)) {
    remember_domain(name, directory != NULL ? directory : kCatalogues);
    saw_catalogues(name, directory != NULL ? directory : kCatalogues);
  }
  errno = saved;
}

TRACE_HOOK(bindtextdomain);
TRACE_EXPORT char* bindtextdomain(const char* name, const char* directory) {
  char* result = TRACE_REAL(bindtextdomain)(name, directory);
  if (directory != NULL) saw_domain(name, directory);
  return result;
}

TRACE_HOOK(textdomain);
TRACE_EXPORT char* textdomain(const char* name) {
  char* result = TRACE_REAL(textdomain)(name);
  saw_domain(name, NULL);
  return result;
}

/* A library's own domain may be bound to no directory. `gettext` uses the domain of `textdomain`. */
#undef dgettext
#undef dcgettext
#undef dngettext
#undef dcngettext
TRACE_HOOK(dgettext);
TRACE_EXPORT char* dgettext(const char* name, const char* message) {
  saw_domain(name, NULL);
  return TRACE_REAL(dgettext)(name, message);
}

TRACE_HOOK(dcgettext);
TRACE_EXPORT char* dcgettext(const char* name, const char* message, int category) {
  saw_domain(name, NULL);
  return TRACE_REAL(dcgettext)(name, message, category);
}

TRACE_HOOK(dngettext);
TRACE_EXPORT char* dngettext(const char* name, const char* one, const char* many, unsigned long count) {
  saw_domain(name, NULL);
  return TRACE_REAL(dngettext)(name, one, many, count);
}

TRACE_HOOK(dcngettext);
TRACE_EXPORT char* dcngettext(const char* name, const char* one, const char* many, unsigned long count, int category) {
  saw_domain(name, NULL);
  return TRACE_REAL(dcngettext)(name, one, many, count, category);
}

/* X/Open's catalogues are unknown: no compiler uses them. */
TRACE_HOOK(catopen);
TRACE_EXPORT nl_catd catopen(const char* name, int flag) {
  trace_unknown("catopen", name);
  return TRACE_REAL(catopen)(name, flag);
}

/* The conversion's modules are mapped now, and may be unmapped before the end. */
TRACE_HOOK(iconv_open);
TRACE_EXPORT iconv_t iconv_open(const char* to, const char* from) {
  iconv_t result = TRACE_REAL(iconv_open)(to, from);
  const int saved = errno;
  saw_character_sets();
  trace_libraries();
  errno = saved;
  return result;
}
