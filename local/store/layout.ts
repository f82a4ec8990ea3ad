/**
 * Names and numbers of the memory file that readers and writers share.
 *
 * @module
 */

/** Version of the tables, kept in `user_version`. */
export const SCHEMA_VERSION = 1;

/**
 * Messages of one session lie side by side: id = session id x 2^21 + sequence number, from 1. So
 * neighbours need no index, and no other column says where a message belongs.
 */
export const SESSION_SPAN: number = 2 ** 21;

/** Name of an owner's full-text table; each owner has its own, so that statistics do not mix. */
export function indexName(owner: number): string {
  return `passage_index_${owner}`;
}

/** Name of the vocabulary view of an owner's full-text table. */
export function vocabularyName(owner: number): string {
  return `passage_words_${owner}`;
}
