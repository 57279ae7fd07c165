/** An error whose message says all that a person needs, so that a command shows no stack. */
export class ExpectedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
