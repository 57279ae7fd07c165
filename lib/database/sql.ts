/** An SQL statement or fragment: text, with its values kept separate. */
export class Sql {
  /** Of a fragment without values, which is the same wherever it stands. */
  #text: string | undefined;

  constructor(
    private readonly strings: readonly string[],
    private readonly values: readonly unknown[],
  ) {}

  /** Renders the statement with `$1`, `$2` … in the place of its values. */
  compile(params: unknown[] = []): { text: string; params: unknown[] } {
    if (this.#text !== undefined) return { text: this.#text, params };
    const before = params.length;
    let text = this.strings[0]!;
    this.values.forEach((value, index) => {
      text += value instanceof Sql ? value.compile(params).text : `$${params.push(value)}`;
      text += this.strings[index + 1];
    });
    if (params.length === before) this.#text = text;
    return { text, params };
  }
}

/**
 * Makes a statement of a tagged template; a fragment can be nested in another statement.
 *
 * ```ts
 * const onlyActive = sql`and active`;
 * const { text, params } = sql`select 1 from items where id = ${"x"} ${onlyActive}`.compile();
 * if (text !== "select 1 from items where id = $1 and active") throw new Error(text);
 * if (params[0] !== "x") throw new Error("The value is lost");
 * ```
 */
export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  return new Sql(strings, values);
}

/** A whole number as part of the text: cheaper than a value where it never changes. */
export function literal(number: number): Sql {
  return new Sql([String(Math.trunc(number))], []);
}

/** Joins conditions with `and`; without any, the result is true. */
export function every(conditions: readonly Sql[]): Sql {
  return conditions.reduce((all, condition) => sql`${all} and ${condition}`, sql`true`);
}

/** A moment as a value. */
export function timestamp(moment: Date): Sql {
  return sql`${moment.toISOString()}::timestamptz`;
}

/** Anything that JSON can hold as a value: drivers would encode a text for `jsonb` once more. */
export function json(value: unknown): Sql {
  return sql`${JSON.stringify(value)}::text::jsonb`;
}

/** A moment as text: UTC, ISO 8601, whole seconds. */
export function isoTime(column: Sql): Sql {
  return sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
}
