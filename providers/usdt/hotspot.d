/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The Java virtual machine.  Its names have a length, and no NUL.
 */
provider hotspot {
	probe class__loaded(char name[length], size_t length, void *loader,
	    bool shared);
	probe class__unloaded(char name[length], size_t length, void *loader,
	    bool shared);
	probe gc__begin(bool full);
	probe gc__end();
	probe method__compile__begin(char compiler[compiler_length],
	    size_t compiler_length, char class[class_length],
	    size_t class_length, char method[method_length],
	    size_t method_length, char signature[signature_length],
	    size_t signature_length);
	probe monitor__contended__enter(size_t thread, void *monitor,
	    char class[length], size_t length);
	probe monitor__contended__entered(size_t thread, void *monitor,
	    char class[length], size_t length);
	probe monitor__wait(size_t thread, void *monitor, char class[length],
	    size_t length, size_t timeout);
	probe thread__start(char name[length], size_t length, size_t id,
	    size_t native, bool daemon);
	probe thread__stop(char name[length], size_t length, size_t id,
	    size_t native, bool daemon);
	probe vm__init__begin();
	probe vm__init__end();
	probe vm__shutdown();
	probe class__initialization__required(char name[length],
	    size_t length, void *loader, long thread_type);
	probe class__initialization__recursive(char name[length],
	    size_t length, void *loader, long thread_type, int waited);
	probe class__initialization__concurrent(char name[length],
	    size_t length, void *loader, long thread_type, int waited);
	probe class__initialization__erroneous(char name[length],
	    size_t length, void *loader, long thread_type, int waited);
	probe class__initialization__super__failed(char name[length],
	    size_t length, void *loader, long thread_type, int waited);
	probe class__initialization__clinit(char name[length], size_t length,
	    void *loader, long thread_type, int waited);
	probe class__initialization__error(char name[length], size_t length,
	    void *loader, long thread_type, int waited);
	probe class__initialization__end(char name[length], size_t length,
	    void *loader, long thread_type, int waited);
	probe mem__pool__gc__begin(char manager[manager_length],
	    size_t manager_length, char pool[pool_length], size_t pool_length,
	    size_t initial, size_t used, size_t committed, size_t maximum);
	probe mem__pool__gc__end(char manager[manager_length],
	    size_t manager_length, char pool[pool_length], size_t pool_length,
	    size_t initial, size_t used, size_t committed, size_t maximum);
	probe method__compile__end(char compiler[compiler_length],
	    size_t compiler_length, char class[class_length],
	    size_t class_length, char method[method_length],
	    size_t method_length, char signature[signature_length],
	    size_t signature_length, size_t success);
	probe compiled__method__load(char class[class_length],
	    size_t class_length, char method[method_length],
	    size_t method_length, char signature[signature_length],
	    size_t signature_length, void *code, size_t size);
	probe compiled__method__unload(char class[class_length],
	    size_t class_length, char method[method_length],
	    size_t method_length, char signature[signature_length],
	    size_t signature_length);
	probe method__entry(size_t thread, char class[class_length],
	    int class_length, char method[method_length], int method_length,
	    char signature[signature_length], int signature_length);
	probe method__return(size_t thread, char class[class_length],
	    int class_length, char method[method_length], int method_length,
	    char signature[signature_length], int signature_length);
	probe object__alloc(size_t thread, char class[length], size_t length,
	    size_t size);
	probe monitor__contended__exit(size_t thread, void *monitor,
	    char class[length], size_t length);
	probe monitor__waited(size_t thread, void *monitor,
	    char class[length], size_t length);
	probe monitor__notify(size_t thread, void *monitor,
	    char class[length], size_t length);
	probe monitor__notifyAll(size_t thread, void *monitor,
	    char class[length], size_t length);
	probe thread__sleep__begin(long duration);
	probe thread__sleep__end(int interrupted);
	probe thread__yield();
	probe thread__park__begin(void *parker, int absolute, long time);
	probe thread__park__end(void *parker);
	probe thread__unpark(void *parker);
	probe vmops__request(char name[length], size_t length, int mode);
	probe vmops__begin(char name[length], size_t length, int mode);
	probe vmops__end(char name[length], size_t length, int mode);
};
