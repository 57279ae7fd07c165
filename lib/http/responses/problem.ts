import { z } from "zod";
import { englishOf, type Said } from "../../text/said.ts";

/** One parameter or field that was wrong, and why. */
export interface FieldError {
  name: string;
  reason: string;
  /** The reason as a message, for readers; without one it is in English only. */
  said?: Said;
  /** Of a snapshot: the row as a spreadsheet counts it, the item from 1, and the column there. */
  row?: number;
  item?: number;
  column?: string;
}

const TITLES = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
} as const;

type ProblemStatus = keyof typeof TITLES;

/** A request that cannot be served: thrown anywhere in a route, answered in one place. */
export class Problem extends Error {
  override name = "Problem";
  readonly title: string;
  /** The detail as a message, for readers; without one it is in English only. */
  readonly said?: Said;

  constructor(
    readonly status: ProblemStatus,
    detail: string | Said,
    readonly more: {
      /** Parameters or fields that are not valid. */
      errors?: readonly FieldError[];
      /** Further headers of the answer, such as Allow or Retry-After. */
      headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(typeof detail === "string" ? detail : englishOf(detail));
    if (typeof detail !== "string") this.said = detail;
    this.title = TITLES[status];
  }

  /** The problem details of RFC 9457, section 3.1. */
  toJSON(): Record<string, unknown> {
    const { status, title, message: detail, more: { errors } } = this;
    const shown = errors?.map(({ said: _, ...error }) => error);
    return { type: "about:blank", title, status, detail, ...(shown && { errors: shown }) };
  }
}

/** The schema of problem details (RFC 9457, section 3). */
export const PROBLEM_SCHEMA = z.strictObject({
  type: z.string().meta({ format: "uri-reference" }),
  title: z.string(),
  status: z.int().min(400).max(599),
  detail: z.string(),
  errors: z.array(z.strictObject({
    name: z.string(),
    reason: z.string(),
    row: z.int().optional().describe("For tables: row number as in a spreadsheet"),
    item: z.int().optional().describe("For snapshots: position, counted from 1"),
    column: z.string().optional().describe("For snapshots: name of the field in the source"),
  })).optional()
    .describe("Parameters or fields that are not valid"),
}).meta({ id: "Problem" });
