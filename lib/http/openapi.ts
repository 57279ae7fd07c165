import { z } from "zod";
import { PROBLEM_SCHEMA } from "./responses/problem.ts";

/** The groups of operations, in their order. */
const TAGS = {
  Releases: "Releases, and the values to filter them by",
  Changes: "Changes and their dates",
  Feeds: "Releases for feed readers and calendars",
  Subscriptions: "Email subscriptions",
  Administration: "For operators and schedulers; a token is required",
} as const;

/** The API description of a route, beyond its path and summary. */
export interface ApiDescription {
  readonly tag: keyof typeof TAGS;
  /** What a client should know beyond the summary; Markdown. */
  readonly details: string;
  readonly query?: z.ZodObject;
  readonly path?: z.ZodObject;
  readonly body?: ApiBody;
  readonly needsToken?: boolean;
  /** By status; the responses common to all routes are added. */
  readonly answers: Readonly<Record<number, ApiAnswer>>;
}

/** A JSON body with a working example, and the other accepted media types. */
interface ApiBody {
  readonly schema: z.ZodType;
  readonly example: unknown;
  readonly otherTypes?: readonly string[];
}

/** A possible response of a route. */
export interface ApiAnswer {
  readonly description: string;
  /** Absent: JSON if there is a schema, else no body. */
  readonly contentType?: string;
  readonly schema?: z.ZodType;
  /** Descriptions by name. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer with problem details (RFC 9457). */
export function problemAnswer(description: string, headers?: ApiAnswer["headers"]): ApiAnswer {
  return { description, schema: PROBLEM_SCHEMA, headers };
}

/** The answer to a request that a page of another site made a browser send. */
export const CROSS_SITE_ANSWER = problemAnswer("Sent by a page of another site");

/** How a route that everybody may send a short body to refuses it. */
export const SUBMISSION_ANSWERS = {
  403: CROSS_SITE_ANSWER,
  408: problemAnswer("The body did not arrive within 10 seconds"),
  413: problemAnswer("The body is longer than 32 KB"),
  429: problemAnswer("Too many requests from this client", {
    "Retry-After": "Seconds until the next request",
  }),
};

/** One operation of the API. */
export interface Operation {
  readonly method: "GET" | "POST";
  /** With `:name` for a parameter. */
  readonly path: string;
  readonly summary: string;
  /** Its responses are cached and support conditional requests. */
  readonly isCached: boolean;
  readonly description: ApiDescription;
}

type Json = Record<string, unknown>;

/** A parameter of an operation, as the document has it. */
export type OperationParameter = ReturnType<typeof parametersOf>[number];

const READ_HEADERS = {
  "ETag": "A weak entity tag, for If-None-Match",
  "Last-Modified": "When the response was built; for a single release, its last modification",
  "Cache-Control": "How long the response is fresh",
};

const UP_TO_DATE: ApiAnswer = { description: "The client's copy is up to date" };
const WRONG_TYPE = problemAnswer("A value is not of its type");

/** An OpenAPI 3.1 document (spec.openapis.org/oas/v3.1.1) of the API at an address. */
export function formatOpenapi(
  info: { title: string; version: string; url: string },
  operations: readonly Operation[],
): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = templateOf(operation);
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: formatOperation(operation, schemas),
    };
  }
  const { title, version, url } = info;
  return {
    openapi: "3.1.1",
    info: {
      title: `${title} API`,
      version,
      description: "The releases of a roadmap, their full history, and email subscriptions. " +
        "Reading needs no key and is possible from any origin. Errors are problem details " +
        "(RFC 9457).",
      contact: { name: title, url },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url }],
    security: [],
    tags: Object.entries(TAGS)
      .filter(([name]) => operations.some(({ description }) => description.tag === name))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas,
      ...operations.some(({ description }) => description.needsToken) && {
        securitySchemes: { token: { type: "http", scheme: "bearer" } },
      },
    },
  };
}

function formatOperation(operation: Operation, schemas: Json): Json {
  const { summary, isCached, description } = operation;
  const { tag, details, body, needsToken } = description;
  return {
    operationId: operationId(operation),
    tags: [tag],
    summary,
    description: details,
    ...needsToken && { security: [{ token: [] }] },
    parameters: parametersOf(operation),
    ...body && {
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: toReference(body.schema, schemas, "input"),
            example: body.example,
          },
          ...Object.fromEntries(body.otherTypes?.map((type) => [type, {}]) ?? []),
        },
      },
    },
    responses: Object.fromEntries(
      answersOf(operation).map(([status, answer]) => [
        status,
        formatAnswer(answer, schemas, isCached && status === "200" ? READ_HEADERS : {}),
      ]),
    ),
  };
}

/** What an operation may answer, by status, with what is common to all routes. */
export function answersOf({ isCached, description }: Operation): [string, ApiAnswer][] {
  const { query, path, body, answers } = description;
  return [
    ...isCached ? [["304", UP_TO_DATE] as [string, ApiAnswer]] : [],
    ...query ?? path ?? body ? [["400", WRONG_TYPE] as [string, ApiAnswer]] : [],
    ...Object.entries(answers),
    ["default", problemAnswer("Any other problem")],
  ];
}

function formatAnswer(
  { description, contentType, schema, headers }: ApiAnswer,
  schemas: Json,
  usualHeaders: Readonly<Record<string, string>>,
): Json {
  const allHeaders = Object.entries({ ...usualHeaders, ...headers });
  const type = contentType ??
    (schema === PROBLEM_SCHEMA ? "application/problem+json" : "application/json");
  return {
    description,
    ...allHeaders.length > 0 && {
      headers: Object.fromEntries(
        allHeaders.map(([name, description]) => [
          name,
          { description, schema: { type: "string" } },
        ]),
      ),
    },
    ...schema && { content: { [type]: { schema: toReference(schema, schemas, "output") } } },
  };
}

/** The parameters of an operation, those of its path first. */
export function parametersOf({ description: { path, query } }: Operation) {
  return [...formatParameters(path, "path"), ...formatParameters(query, "query")];
}

function formatParameters(schema: z.ZodObject | undefined, place: "query" | "path") {
  if (!schema) return [];
  const { properties = {} } = z.toJSONSchema(schema, { io: "input", override: dropBound });
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property as Json & { description?: string };
    // A number sent as digits is described as a number.
    if (rest.type === "integer") delete rest.pattern;
    const inner = schema.shape[name];
    if (inner instanceof z.ZodDefault) rest.default = inner.def.defaultValue;
    if (typeof rest.default === "boolean") rest.default = String(rest.default);
    return { name, in: place, required: place === "path", description, schema: rest };
  });
}

/** Moves named schemas into the components of the document, and references them there. */
function toReference(schema: z.ZodType, schemas: Json, io: "input" | "output"): Json {
  const { $defs = {}, $schema: _, ...own } = z.toJSONSchema(schema, { io, override: dropBound });
  for (const [name, definition] of Object.entries($defs)) {
    const { id: _, ...named } = pointToComponents(definition);
    schemas[name] = named;
  }
  return pointToComponents(own);
}

/** JavaScript's largest safe integer is no meaningful limit of an API. */
function dropBound({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

function pointToComponents(schema: object): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll("#/$defs/", "#/components/schemas/"));
}

/** The path of an operation, with `{name}` for a parameter. */
export function templateOf({ path }: Operation): string {
  return path.replace(/:(\w+)/g, "{$1}");
}

/** `GET /api/releases/history/:release_item_id` is `getReleasesHistory`. */
export function operationId({ method, path }: Operation): string {
  const words = path.replace(/^\/api/, "").split(/[/.-]/).filter((part) => /^\w+$/.test(part));
  return method.toLowerCase() +
    words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
}
