/** The clock of this machine. Everything that tells time by day is handed it; tests hand in another. */
export const systemClock = (): Date => new Date();
