import { DatabaseAway } from "../database.ts";

/**
 * An error for transfer between threads and processes, which loses its class and own properties.
 */
export interface PlainError {
  name: string;
  message: string;
  /** SQLSTATE */
  code?: string;
  errno?: number;
}

/** The parts of an error that can be sent. */
export function toPlain(error: unknown): PlainError {
  const { name, message, code, errno } = error as PlainError;
  return { name, message, code, errno };
}

/** Restores the error that was sent. */
export function toError({ name, message, code, errno }: PlainError): Error {
  if (name === "DatabaseAway") return new DatabaseAway(message);
  return Object.assign(
    new Error(message),
    code !== undefined && { code },
    errno !== undefined && { errno },
  );
}
