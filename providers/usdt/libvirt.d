/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * libvirt: its event loop, objects, and remote calls.
 */
provider libvirt {
	probe event_poll_add_handle(int watch, int fd, int events,
	    void *callback, void *opaque, void *free);
	probe event_poll_update_handle(int watch, int events);
	probe event_poll_remove_handle(int watch);
	probe event_poll_dispatch_handle(int watch, int events);
	probe event_poll_purge_handle(int watch);
	probe event_poll_add_timeout(int timer, int frequency, void *callback,
	    void *opaque, void *free);
	probe event_poll_update_timeout(int timer, int frequency);
	probe event_poll_remove_timeout(int timer);
	probe event_poll_dispatch_timeout(int timer);
	probe event_poll_purge_timeout(int timer);
	probe event_poll_run(int handles, int timeout);

	probe object_new(void *object, const char *class);
	probe object_ref(void *object);
	probe object_unref(void *object);
	probe object_dispose(void *object);

	probe rpc_server_client_new(void *client, void *socket);
	probe rpc_server_client_msg_tx_queue(void *client, int length,
	    int program, int version, int procedure, int type, int status,
	    int serial);
	probe rpc_server_client_msg_rx(void *client, int length, int program,
	    int version, int procedure, int type, int status, int serial);
	probe rpc_client_new(void *client, void *socket);
	probe rpc_client_msg_tx_queue(void *client, int length, int program,
	    int version, int procedure, int type, int status, int serial);
	probe rpc_client_msg_rx(void *client, int length, int program,
	    int version, int procedure, int type, int status, int serial);
};
