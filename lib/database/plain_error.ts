import { DatabaseAway } from "./database.ts";

/** An error on its way between threads and processes, where its class and own properties get lost. */
export interface PlainError {
  name: string;
  message: string;
  /** SQLSTATE */
  code?: string;
  errno?: number;
}

/** What of an error can be sent. */
export function toPlain(error: unknown): PlainError {
  const { name, message, code, errno } = error as PlainError;
  return { name, message, code, errno };
}

/** The error that was sent. */
export function toError({ name, message, code, errno }: PlainError): Error {
  if (name === "DatabaseAway") return new DatabaseAway(message);
  return Object.assign(
    new Error(message),
    code !== undefined && { code },
    errno !== undefined && { errno },
  );
}
