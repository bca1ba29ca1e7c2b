// Which Python programs are known to do nothing but start the compiler.
#include "daemon/request/python_start.h"

#include <gtest/gtest.h>

namespace hipcache::daemon {
namespace {

constexpr const char* kModule = "iree.compiler.tools.scripts.iree_compile";
constexpr const char* kByPip =
    "#!/venv/bin/python3\n"
    "# -*- coding: utf-8 -*-\n"
    "import re\n"
    "import sys\n"
    "from iree.compiler.tools.scripts.iree_compile.__main__ import main\n"
    "if __name__ == '__main__':\n"
    "    sys.argv[0] = re.sub(r'(-script\\.pyw|\\.exe)?$', '', sys.argv[0])\n"
    "    sys.exit(main())\n";

TEST(PythonStart, IsPipsScriptOfTheModule) {
  EXPECT_TRUE(imports_only(kByPip, kModule));
  EXPECT_FALSE(imports_only(kByPip, "iree.compiler.tools.scripts.iree_opt"));
}

TEST(PythonStart, IsNoScriptThatImportsAnythingElse) {
  const std::string script(kByPip);
  EXPECT_FALSE(imports_only(script + "import time\n", kModule));
  EXPECT_FALSE(imports_only(script + "    import datetime\n", kModule));
  EXPECT_FALSE(imports_only(script + "from time import localtime\n", kModule));
  EXPECT_FALSE(imports_only(script + "t = __import__('time')\n", kModule));
  EXPECT_FALSE(imports_only(script + "import sys, time\n", kModule));
  EXPECT_FALSE(imports_only("#!/bin/sh\nexec iree-compile \"$@\"\n", kModule));
  EXPECT_FALSE(
      imports_only("\x7f"
                   "ELF",
                   kModule));
}

}  // namespace
}  // namespace hipcache::daemon
