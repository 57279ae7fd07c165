/**
 * For SSDs and for what is in memory. With PostgreSQL's default of 4 it would rather read all items
 * than use the trigram index for a word that every tenth item has.
 */
export const RANDOM_PAGE_COST = "1.1";
