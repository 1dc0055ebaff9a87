/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The Java virtual machine.  Its names have a length and no NUL, so they are
 * pointers here: copyinstr(arg0, arg1) has the text.
 */
provider hotspot {
	probe class__loaded(void *name, size_t length, void *loader,
	    bool shared);
	probe class__unloaded(void *name, size_t length, void *loader,
	    bool shared);
	probe gc__begin(bool full);
	probe gc__end();
	probe method__compile__begin(void *compiler, size_t compiler_length,
	    void *class, size_t class_length, void *method,
	    size_t method_length, void *signature, size_t signature_length);
	probe monitor__contended__enter(size_t thread, void *monitor,
	    void *class, size_t length);
	probe monitor__contended__entered(size_t thread, void *monitor,
	    void *class, size_t length);
	probe monitor__wait(size_t thread, void *monitor, void *class,
	    size_t length, size_t timeout);
	probe thread__start(void *name, size_t length, size_t id,
	    size_t native, bool daemon);
	probe thread__stop(void *name, size_t length, size_t id,
	    size_t native, bool daemon);
	probe vm__init__begin();
	probe vm__init__end();
	probe vm__shutdown();
};
