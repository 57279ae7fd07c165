/** A JSON object of an OpenAPI document. */
type Json = Record<string, unknown>;

/** One parameter of an operation, for a form. */
export interface ApiParameter {
  name: string;
  in: "query" | "path";
  description: string;
  /** What it accepts, in words. */
  takes: string;
  /** Present if only some values are allowed. */
  values?: string[];
}

/** One operation of the API, as a page shows it. */
export interface ApiOperation {
  id: string;
  method: string;
  path: string;
  summary: string;
  parameters: ApiParameter[];
  /** An example of a JSON body, if the operation takes one. */
  body?: string;
  /** Status and meaning of each response. */
  answers: [string, string][];
}

interface Described extends Json {
  operationId: string;
  summary: string;
  parameters: { name: string; in: "query" | "path"; description?: string; schema: Json }[];
  /** Present if it needs a token, which no page has. */
  security?: unknown;
  requestBody?: { content: { "application/json": { example: unknown } } };
  responses: Record<string, { description: string }>;
}

/** The operations of an OpenAPI document that need no token. */
export function operationsOf(document: Json): ApiOperation[] {
  const paths = Object.entries(document.paths as Record<string, Record<string, Described>>);
  return paths.flatMap(([path, methods]) =>
    Object.entries(methods).filter(([, { security }]) => !security).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      summary: operation.summary,
      parameters: operation.parameters.map(({ name, in: place, description = "", schema }) => ({
        name,
        in: place,
        description,
        takes: tellSchema(schema),
        ...schema.enum ? { values: schema.enum as string[] } : {},
      })),
      ...operation.requestBody && {
        body: JSON.stringify(
          operation.requestBody.content["application/json"].example,
          null,
          2,
        ),
      },
      answers: Object.entries(operation.responses)
        .map(([status, { description }]): [string, string] => [status, description]),
    }))
  );
}

function tellSchema(schema: Json): string {
  const { type, format, minimum, maximum } = schema;
  const kind = maximum !== undefined ? `${minimum} to ${maximum}` : String(format ?? type);
  return schema.default === undefined ? kind : `${kind}, default ${schema.default}`;
}
