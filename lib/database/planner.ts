/**
 * For SSDs and for what is in memory. With PostgreSQL's default of 4 it would rather read all items
 * than use the trigram index for a word that every tenth item has.
 */
export const RANDOM_PAGE_COST = "1.1";

/**
 * Most of what is compared are long texts and their words. With PostgreSQL's default of 0.0025 it
 * would rather read the words of all items than use their index for words that many have.
 */
export const CPU_OPERATOR_COST = "0.025";
