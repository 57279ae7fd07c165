/** An error whose message is enough for a person, so a command shows no stack. */
export class ExpectedError extends Error {
  /** What a command exits with. */
  readonly exitCode: number = 1;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Something that was entered is wrong; the messages say what, by the names of the fields. */
export class FieldError extends ExpectedError {
  constructor(readonly errors: Readonly<Record<string, string>>) {
    super(Object.values(errors).join("; "));
  }
}

/** The first line of an error's message; libraries add lines for developers. */
export function firstLineOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0]!;
}
