/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * CRuby.
 */
provider ruby {
	probe method__entry(const char *class, const char *method,
	    const char *file, int line);
	probe method__return(const char *class, const char *method,
	    const char *file, int line);
	probe cmethod__entry(const char *class, const char *method,
	    const char *file, int line);
	probe cmethod__return(const char *class, const char *method,
	    const char *file, int line);
	probe require__entry(const char *required, const char *file, int line);
	probe require__return(const char *required, const char *file,
	    int line);
	probe find__require__entry(const char *required, const char *file,
	    int line);
	probe find__require__return(const char *required, const char *file,
	    int line);
	probe load__entry(const char *loaded, const char *file, int line);
	probe load__return(const char *loaded, const char *file, int line);
	probe raise(const char *class, const char *file, int line);
	probe object__create(const char *class, const char *file, int line);
	probe array__create(long length, const char *file, int line);
	probe hash__create(long length, const char *file, int line);
	probe string__create(long length, const char *file, int line);
	probe symbol__create(const char *symbol, const char *file, int line);
	probe parse__begin(const char *file, int line);
	probe parse__end(const char *file, int line);
	probe insn(const char *instruction);
	probe insn__operand(const char *value, const char *instruction);
	probe method__cache__clear(const char *class, const char *file,
	    int line);
	probe gc__mark__begin();
	probe gc__mark__end();
	probe gc__sweep__begin();
	probe gc__sweep__end();
};
