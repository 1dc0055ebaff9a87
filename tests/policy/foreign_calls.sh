#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# No function of another library is called in a fire, nor in anything else that
# runs in a handler or while a fire waits for it: in a thread's first record, at
# its end, at the registration of a probe, and in a child that a fork makes.
# Such a function may have a probe of its own.  The calls are read from the
# machine code of the libraries as built; foreign_calls.awk walks them.

: "${top_srcdir:?}" "${top_builddir:?}"
. "$top_srcdir/tests/lib/scratch.sh"

skip()
{
	echo "$*"
	exit 77
}

[ -z "$SANITIZER" ] || skip "a sanitizer calls its run-time library"
: "${OBJDUMP:=objdump}" "${NM:=nm}"
command -v "$OBJDUMP" >/dev/null && command -v readelf >/dev/null &&
    command -v "$NM" >/dev/null || skip "no objdump(1), readelf(1) or nm(1)"

libraries="libtbuf.so libtbuf-libc.so libtbuf-syscall.so libtbuf-usdt.so"
archives="libtbuf/.libs/libtarget.a providers/.libs/libsyscall-fire.a
providers/.libs/libusdt-fire.a"
cd "$top_builddir" || exit 1
if [ -e .libs/libtbuf-pid.so ]; then
	libraries="$libraries libtbuf-pid.so"
	archives="$archives providers/.libs/libpid-fire.a"
fi
[ -e .libs/libtbuf.so ] || skip "no shared libraries"

cat >"$SCRATCH/table" <<'END'
# A fire: by the pointer in its site, of a probe without a site, and of code
# that a provider has redirected.
entry tbuf_fire_choose tbuf_probe_emit tbuf_site_fire_from
entry tbuf_libc_fire usdt_hit patch_hit pid_hit_entry pid_hit_exit
entry syscall_enter syscall_leave
entry __wrap_tbuf_vfork_begin __wrap_tbuf_vfork_end
# Work units, as a handler begins and ends them.
entry tbuf_unit_begin tbuf_unit_end tbuf_unit_enter tbuf_unit_leave
entry tbuf_unit_abandon
# Registration.
entry tbuf_sites_register tbuf_sites_unregister tbuf_process_register
entry tbuf_probe_register tbuf_probe_unregister
entry tbuf_series_begin tbuf_series_register tbuf_series_end
entry tbuf_site_semaphore tbuf_life_busy
# A child, and the end of a thread.
entry tbuf_fork_begin tbuf_fork_end
entry tbuf_vfork_begin tbuf_vfork_child tbuf_vfork_end
entry tbuf_thread_mark tbuf_thread_hide tbuf_thread_errno
entry thread_ends

# The walk does not go on in these.  The first two run when the library is
# loaded, before any fire; the third one runs when the program dies.
cut lifecycle.c:begin
cut tbuf_libc_learn
cut fatal_signal.c:handler

# A constructor registers the sites of its object, whose name has the loader,
# in whose call it runs; a handler names its object itself.
allow dl_iterate_phdr

# Variables of the C library.
data __rseq_offset
data __rseq_size
data __libc_stack_end
END

# A call by a pointer may call any function whose address is taken in these
# sources, or by a variable of theirs.
# shellcheck disable=SC2086 # lists of files
{
	"$NM" $archives | awk 'NF == 3 { print "side", $3 }' | sort -u
	for archive in $archives; do
		ar t "$archive"
	done | sed 's/.*_la-/side /; s/o$/c/'
} >"$SCRATCH/side"

set --
for library in $libraries; do
	{
		readelf -dsrW ".libs/$library"
		"$OBJDUMP" -d --no-show-raw-insn ".libs/$library"
	} >"$SCRATCH/$library"
	set -- "$@" "$SCRATCH/$library"
done
cat "$SCRATCH/table" "$SCRATCH/side" >"$SCRATCH/all"
awk -f "$top_srcdir/tests/policy/foreign_calls.awk" "$SCRATCH/all" "$@"
