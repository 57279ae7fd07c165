/** The system clock. It is injected wherever the current day matters; tests use another one. */
export const systemClock = (): Date => new Date();
