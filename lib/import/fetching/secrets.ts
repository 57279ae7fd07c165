/** Words in the names of parameters whose values are secret. */
export const SECRET_NAME = /key|token|secret|sig|code|pass|auth/i;

/** What a request has that no message may repeat. */
export function secretsIn(address: string, headers: Readonly<Record<string, string>>): string[] {
  const { username, password, searchParams } = new URL(address);
  const values = [...searchParams].filter(([name]) => SECRET_NAME.test(name)).map(([, value]) =>
    value
  );
  const words = Object.values(headers).flatMap((value) => value.split(/\s+/));
  const given = [...values, ...words, decodeURIComponent(username), decodeURIComponent(password)];
  return given.filter((word) => word.length >= 4);
}
