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
	probe class__initialization__required(void *name, size_t length,
	    void *loader, long thread_type);
	probe class__initialization__recursive(void *name, size_t length,
	    void *loader, long thread_type, int waited);
	probe class__initialization__concurrent(void *name, size_t length,
	    void *loader, long thread_type, int waited);
	probe class__initialization__erroneous(void *name, size_t length,
	    void *loader, long thread_type, int waited);
	probe class__initialization__super__failed(void *name, size_t length,
	    void *loader, long thread_type, int waited);
	probe class__initialization__clinit(void *name, size_t length,
	    void *loader, long thread_type, int waited);
	probe class__initialization__error(void *name, size_t length,
	    void *loader, long thread_type, int waited);
	probe class__initialization__end(void *name, size_t length,
	    void *loader, long thread_type, int waited);
	probe mem__pool__gc__begin(void *manager, size_t manager_length,
	    void *pool, size_t pool_length, size_t initial, size_t used,
	    size_t committed, size_t maximum);
	probe mem__pool__gc__end(void *manager, size_t manager_length,
	    void *pool, size_t pool_length, size_t initial, size_t used,
	    size_t committed, size_t maximum);
	probe method__compile__end(void *compiler, size_t compiler_length,
	    void *class, size_t class_length, void *method,
	    size_t method_length, void *signature, size_t signature_length,
	    size_t success);
	probe compiled__method__load(void *class, size_t class_length,
	    void *method, size_t method_length, void *signature,
	    size_t signature_length, void *code, size_t size);
	probe compiled__method__unload(void *class, size_t class_length,
	    void *method, size_t method_length, void *signature,
	    size_t signature_length);
	probe method__entry(size_t thread, void *class, int class_length,
	    void *method, int method_length, void *signature,
	    int signature_length);
	probe method__return(size_t thread, void *class, int class_length,
	    void *method, int method_length, void *signature,
	    int signature_length);
	probe object__alloc(size_t thread, void *class, size_t length,
	    size_t size);
	probe monitor__contended__exit(size_t thread, void *monitor,
	    void *class, size_t length);
	probe monitor__waited(size_t thread, void *monitor,
	    void *class, size_t length);
	probe monitor__notify(size_t thread, void *monitor,
	    void *class, size_t length);
	probe monitor__notifyAll(size_t thread, void *monitor,
	    void *class, size_t length);
	probe thread__sleep__begin(long duration);
	probe thread__sleep__end(int interrupted);
	probe thread__yield();
	probe thread__park__begin(void *parker, int absolute, long time);
	probe thread__park__end(void *parker);
	probe thread__unpark(void *parker);
	probe vmops__request(void *name, size_t length, int mode);
	probe vmops__begin(void *name, size_t length, int mode);
	probe vmops__end(void *name, size_t length, int mode);
};
