# SPDX-License-Identifier: BSD-2-Clause
#
# Lets tests run tbufctl itself: libtool's wrapper script takes longer than the
# program.

found=$("$top_builddir/libtool" --mode=execute \
    -dlopen "$top_builddir/libtbuf.la" \
    sh -c 'echo "$0 ${LD_LIBRARY_PATH-}"' "$TBUFCTL" </dev/null) ||
    exit 1
TBUFCTL=${found%% *} LD_LIBRARY_PATH=${found#* }
export LD_LIBRARY_PATH
