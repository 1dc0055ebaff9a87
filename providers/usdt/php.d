/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * PHP.
 */
provider php {
	probe compile__file__entry(char *file, char *translated);
	probe compile__file__return(char *file, char *translated);
	probe error(char *message, char *file, int line);
	/* A zend_string, which is not a string of C. */
	probe exception__caught(void *class);
	probe exception__thrown(char *class);
	probe execute__entry(char *file, int line);
	probe execute__return(char *file, int line);
	probe function__entry(char *function, char *file, int line,
	    char *class, char *scope);
	probe function__return(char *function, char *file, int line,
	    char *class, char *scope);
	probe request__startup(char *file, char *uri, char *method);
	probe request__shutdown(char *file, char *uri, char *method);
};
