# SPDX-License-Identifier: BSD-2-Clause
#
# The script that libtool has made of tbufctl takes longer than tbufctl: what it
# would run is run without it.

found=$("$top_builddir/libtool" --mode=execute \
    -dlopen "$top_builddir/libtbuf.la" \
    sh -c 'echo "$0 ${LD_LIBRARY_PATH-}"' "$TBUFCTL" </dev/null) ||
    exit 1
TBUFCTL=${found%% *} LD_LIBRARY_PATH=${found#* }
export LD_LIBRARY_PATH
