/** A JSON object of an OpenAPI document. */
type Json = Record<string, unknown>;

/** One parameter of an operation, for a form. */
export interface ApiParameter {
  name: string;
  in: "query" | "path";
  description: string;
  /** What it accepts, in words. */
  takes: string;
  /** Present if only some values can be chosen; those of a list are what releases have now. */
  values?: readonly string[];
  /** Several values may be chosen. */
  isList: boolean;
}

/** What the lists of the filter can be set to, by the name of the parameter. */
export type ListChoices = Readonly<Record<string, readonly string[]>>;

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

/**
 * The operations of an OpenAPI document that need no token. A list without choices is left out:
 * there is nothing to choose.
 */
export function operationsOf(document: Json, choices: ListChoices): ApiOperation[] {
  const paths = Object.entries(document.paths as Record<string, Record<string, Described>>);
  return paths.flatMap(([path, methods]) =>
    Object.entries(methods).filter(([, { security }]) => !security).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      summary: operation.summary,
      parameters: operation.parameters.map((parameter) => describe(parameter, choices))
        .filter(({ isList, values }) => !isList || values === undefined || values.length > 0),
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

function describe(
  { name, in: place, description = "", schema }: Described["parameters"][number],
  choices: ListChoices,
): ApiParameter {
  const values = choices[name] ?? schema.enum as string[] | undefined ?? flagValues(schema);
  const isList = schema.type === "array";
  return {
    name,
    in: place,
    description,
    takes: tellSchema(schema),
    isList,
    ...values && { values },
  };
}

/** A parameter that is on or off. */
function flagValues(schema: Json): string[] | undefined {
  return ["true", "false"].includes(String(schema.default)) ? ["true", "false"] : undefined;
}

function tellSchema(schema: Json): string {
  const { type, format, minimum, maximum } = schema;
  if (type === "array") return "may repeat";
  const kind = maximum !== undefined ? `${minimum} to ${maximum}` : String(format ?? type);
  return schema.default === undefined ? kind : `${kind}, default ${schema.default}`;
}
