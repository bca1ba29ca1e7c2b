#!/usr/bin/env bash
# Checks what is in the objects, libraries and programs of a fixture project that was built, and that its programs run.
#
# usage: fixture_contents.sh PROJECT CLANG_VERSION ARCHS BUILD_DIRECTORY
set -euo pipefail

checks=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

case $1 in
  cxx-style)
    with_device=(check_primitives libalgebra.so)
    programs=(check_primitives check_gemm)
    plain='reference|check_gemm'
    without_kernels='devices'
    ;;
  hip-language)
    with_device=(evaluate libphysics.so)
    programs=(evaluate simulate)
    plain='simulate|report'
    without_kernels='devices'
    ;;
  *)
    echo "no project $1" >&2
    exit 2
    ;;
esac

cd "$4"
mapfile -t objects < <(find CMakeFiles -path '*.dir/*.o' | grep -v -E "/($plain|$without_kernels)\\." | sort)
mapfile -t complete < <(find CMakeFiles -path '*.dir/*.o' | grep -E "/($without_kernels)\\." | sort)
[[ ${#complete[@]} -gt 0 ]] || { echo "no object without kernels" >&2; exit 1; }
for object in "${complete[@]}"; do
  if readelf -SW "$object" | grep -F .hip_fatbin; then
    echo "$object has a fatbin" >&2
    exit 1
  fi
done
python3 -B "$checks/code_objects.py" --clang "$2" --archs "$3" "${objects[@]}" "${with_device[@]}"
for program in "${programs[@]}"; do
  "./$program"
done
