/** What the operating system said, such as "Permission denied"; null: another kind of error. */
export function systemReason(error: unknown): string | null {
  const { code, message } = error as { code?: unknown; message?: string };
  // Deno appends the error number and the operation: "… (os error 30): mkdir '/data'".
  return /^E[A-Z]+$/.test(String(code)) ? message!.split(" (os error")[0]! : null;
}
