/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * PostgreSQL, as its manual describes its probes.
 */
typedef unsigned int oid;
typedef int fork_number;
typedef unsigned int block_number;

provider postgresql {
	probe transaction__start(unsigned int xid);
	probe transaction__commit(unsigned int xid);
	probe transaction__abort(unsigned int xid);

	probe query__start(const char *query);
	probe query__done(const char *query);
	probe query__parse__start(const char *query);
	probe query__parse__done(const char *query);
	probe query__rewrite__start(const char *query);
	probe query__rewrite__done(const char *query);
	probe query__plan__start();
	probe query__plan__done();
	probe query__execute__start();
	probe query__execute__done();
	probe statement__status(const char *status);

	probe checkpoint__start(int flags);
	probe checkpoint__done(int written, int total, int added, int removed,
	    int recycled);
	probe clog__checkpoint__start(bool normal);
	probe clog__checkpoint__done(bool normal);
	probe subtrans__checkpoint__start(bool normal);
	probe subtrans__checkpoint__done(bool normal);
	probe multixact__checkpoint__start(bool normal);
	probe multixact__checkpoint__done(bool normal);
	probe buffer__checkpoint__start(int flags);
	probe buffer__checkpoint__sync__start();
	probe buffer__checkpoint__done();
	probe buffer__sync__start(int buffers, int to_write);
	probe buffer__sync__written(int buffer);
	probe buffer__sync__done(int buffers, int written, int expected);
	probe twophase__checkpoint__start();
	probe twophase__checkpoint__done();

	probe buffer__read__start(fork_number fork, block_number block,
	    oid tablespace, oid database, oid relation, int backend,
	    bool extend);
	probe buffer__read__done(fork_number fork, block_number block,
	    oid tablespace, oid database, oid relation, int backend,
	    bool extend, bool found);
	probe buffer__flush__start(fork_number fork, block_number block,
	    oid tablespace, oid database, oid relation);
	probe buffer__flush__done(fork_number fork, block_number block,
	    oid tablespace, oid database, oid relation);
	probe buffer__write__dirty__start(fork_number fork, block_number block,
	    oid tablespace, oid database, oid relation);
	probe buffer__write__dirty__done(fork_number fork, block_number block,
	    oid tablespace, oid database, oid relation);
	probe wal__buffer__write__dirty__start();
	probe wal__buffer__write__dirty__done();
	probe wal__insert(unsigned char resource_manager, unsigned char flags);
	probe wal__switch();

	probe smgr__md__read__start(fork_number fork, block_number block,
	    oid tablespace, oid database, oid relation, int backend);
	probe smgr__md__read__done(fork_number fork, block_number block,
	    oid tablespace, oid database, oid relation, int backend, int read,
	    int requested);
	probe smgr__md__write__start(fork_number fork, block_number block,
	    oid tablespace, oid database, oid relation, int backend);
	probe smgr__md__write__done(fork_number fork, block_number block,
	    oid tablespace, oid database, oid relation, int backend,
	    int written, int requested);

	probe sort__start(int kind, bool unique, int keys, int memory,
	    bool random, int parallel);
	probe sort__done(bool external, long used);

	probe lwlock__acquire(const char *tranche, int mode);
	probe lwlock__release(const char *tranche);
	probe lwlock__wait__start(const char *tranche, int mode);
	probe lwlock__wait__done(const char *tranche, int mode);
	probe lwlock__condacquire(const char *tranche, int mode);
	probe lwlock__condacquire__fail(const char *tranche, int mode);
	probe lwlock__acquire__or__wait(const char *tranche, int mode);
	probe lwlock__acquire__or__wait__fail(const char *tranche, int mode);
	probe lock__wait__start(unsigned int field1, unsigned int field2,
	    unsigned int field3, unsigned int field4, unsigned int type,
	    int mode);
	probe lock__wait__done(unsigned int field1, unsigned int field2,
	    unsigned int field3, unsigned int field4, unsigned int type,
	    int mode);
	probe deadlock__found();
};
