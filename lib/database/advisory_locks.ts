/**
 * The numbers of all advisory locks: arbitrary, unlikely to be taken by anything else in the same
 * database, and each of one lock only. A process that waits for one waits for its holder, and where
 * that one waits for something else meanwhile, PostgreSQL sees no deadlock: no lock that a process
 * waits for may be held during anything but statements of one transaction.
 */
export const ADVISORY_LOCKS = {
  /** Migrating; held to the end of the transaction. */
  migration: 7_302_014,
  /** Applying an import; held to the end of the transaction. */
  import: 7_302_015,
  /** Queueing digests; held to the end of the transaction. */
  digests: 7_302_017,
  /** Requests for one mailbox, with the hash of its address; held to the end of the transaction. */
  mailbox: 7_302_018,
} as const;
