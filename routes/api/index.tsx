import { type ApiOperation, type ApiParameter, breakable } from "../../islands/TryApi.tsx";
import {
  answersOf,
  type Operation,
  operationId,
  type OperationParameter,
  parametersOf,
  templateOf,
} from "../../lib/http/openapi.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import { valuesByList } from "../../lib/roadmap/filter/filter_options.ts";
import { pageContent } from "../../lib/ui/render_page.tsx";
import { Island } from "../(_components)/island.tsx";
import { Layout } from "../../lib/ui/layout.tsx";
import { listOperations } from "../openapi.json.ts";
import type { Context, ReadConfig, ReadHandlers } from "../route.ts";
import { rich, say } from "../../lib/text/messages.ts";
import { said } from "../../lib/text/said.ts";

export const config: ReadConfig = {
  cache: "data",
  errors: "page",
  summary: "The API, with examples that run",
};

/** The API reference as a page: the operations, and one of them to be tried. */
export const handler: ReadHandlers = {
  GET: {
    read({ query }, context) {
      const operations = listOperations(context)
        .filter(({ description }) => !description.needsToken);
      const id = query.get("operation");
      const open = id === null ? operations[0] : operations.find((one) => operationId(one) === id);
      if (!open) throw new Problem(404, said("problem.no_operation"));
      return {
        normalised: operationId(open),
        build: () => build(operations, open, context),
      };
    },
  },
};

async function build(operations: readonly Operation[], open: Operation, context: Context) {
  const { services, site } = context;
  const [newest, listed] = await Promise.all([
    services.selections.select({ include_inactive: false }),
    services.listedOptions.read(),
  ]);
  const [exampleId = ""] = newest.slice(0, 1);
  return pageContent(
    <Layout
      title={say("layout.api")}
      context={context}
      path="/api"
      description={say("api.description", { site: services.config.SITE_NAME })}
      skip={{ href: `#${operationId(open)}`, label: say("api.skip") }}
    >
      <div class="intro">
        <h1>{say("layout.api")}</h1>
        <p>
          {rich("api.intro", {
            link: <a href={`${site.path}/openapi.json`}>openapi.json</a>,
          })}
        </p>
      </div>
      {services.config.EMBED_ORIGINS.length > 0 && <OwnForm url={site.url} />}
      <div class="reference">
        <Endpoints operations={operations} open={open} path={`${site.path}/api`} />
        <Island
          name="TryApi"
          props={{
            path: site.path,
            url: site.url,
            operation: toApiOperation(open, valuesByList(listed)),
            exampleId,
          }}
          context={context}
        />
      </div>
    </Layout>,
  );
}

/** The form to subscribe that a page of EMBED_ORIGINS may have, to copy. */
function OwnForm({ url }: { url: string }) {
  const html = [
    `<form method="post" action="${url}/subscribe">`,
    '  <label>Email <input type="email" name="email" required></label>',
    "  <button>Subscribe</button>",
    "</form>",
  ].join("\n");
  return (
    <details>
      <summary>{say("api.form")}</summary>
      <pre>
        <code>{html}</code>
      </pre>
    </details>
  );
}

/** The operations by their groups, as links that open them. */
function Endpoints({ operations, open, path }: {
  operations: readonly Operation[];
  open: Operation;
  path: string;
}) {
  const groups = Map.groupBy(operations, ({ description }) => description.tag);
  return (
    <nav class="endpoints" aria-label={say("api.endpoints")}>
      {[...groups].map(([group, members]) => (
        <div key={group}>
          <h2>{group}</h2>
          <ul>
            {members.map((operation) => {
              const id = operationId(operation);
              return (
                <li key={id}>
                  <a
                    href={`${path}?operation=${id}#${id}`}
                    aria-current={operation === open ? "true" : undefined}
                  >
                    <code>
                      {operation.method !== "GET" && `${operation.method} `}
                      {breakable(templateOf(operation))}
                    </code>
                  </a>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** What the lists of the filter can be set to, by the name of the parameter. */
type Choices = Readonly<Record<string, readonly string[]>>;

/** An operation for its form. A list without choices is left out: there is nothing to choose. */
function toApiOperation(operation: Operation, choices: Choices): ApiOperation {
  const { method, summary, description: { body } } = operation;
  const answers = answersOf(operation);
  const [, { contentType = "application/json" }] = answers.find(([status]) => /^2/.test(status))!;
  return {
    id: operationId(operation),
    method,
    path: templateOf(operation),
    summary,
    parameters: parametersOf(operation).map((parameter) => toApiParameter(parameter, choices))
      .filter(({ isList, values }) => !isList || values?.length !== 0),
    body: body && JSON.stringify(body.example, null, 2),
    answersJson: /[/+]json/.test(contentType),
    answers: answers
      .map(([status, { description }]): [string, string] => [status, description]).sort(),
  };
}

function toApiParameter(
  { name, in: place, description = "", schema }: OperationParameter,
  choices: Choices,
): ApiParameter {
  const { type, format, minimum, maximum, default: usual } = schema;
  const isList = type === "array";
  const kind = maximum !== undefined
    ? say("api.range", { from: String(minimum), to: String(maximum) })
    : String(format ?? type);
  const takes = usual === undefined ? kind : say("api.default", { kind, value: String(usual) });
  const flag = ["true", "false"].includes(String(usual)) ? ["true", "false"] : undefined;
  return {
    name,
    in: place,
    description,
    takes: isList ? say("api.may_repeat") : takes,
    isList,
    values: choices[name] ?? schema.enum as string[] | undefined ?? flag,
  };
}
