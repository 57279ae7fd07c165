import { type ApiOperation, type ApiParameter, TryApi } from "../../islands/api/try_api.tsx";
import {
  answersOf,
  type Operation,
  operationId,
  type OperationParameter,
  parametersOf,
  templateOf,
} from "../../lib/http/openapi.ts";
import { Island } from "../../lib/ui/island.tsx";
import { Layout } from "../../lib/ui/layout.tsx";
import { pageContent } from "../../lib/ui/render_page.ts";
import { listOperations } from "../api/openapi.ts";
import type { ReadHandler } from "../route.ts";

/** The API reference as a page where each operation can be tried. */
export const apiPage: ReadHandler = {
  read: (_input, context) => ({
    normalised: null,
    async build() {
      const { services, site } = context;
      const [newest, listed] = await Promise.all([
        services.selections.select({ include_inactive: false }),
        services.listedOptions.read(),
      ]);
      const [exampleId = ""] = newest.slice(0, 1);
      const choices = {
        product_name: listed.product_names.values,
        release_type: listed.release_types.values,
        release_status: listed.release_statuses.values,
        source: listed.sources.values,
      };
      const operations = listOperations(context)
        .filter(({ description }) => !description.needsToken)
        .map((operation) => toApiOperation(operation, choices));
      return pageContent(
        <Layout
          title="API"
          frame={context}
          path="/api"
          description={`The API of ${services.config.siteName}, with examples that run.`}
        >
          <div class="intro">
            <h1>API</h1>
            <p>
              Everything on this site, as an API. The full reference is{" "}
              <a href={`${site.path}/openapi.json`}>openapi.json</a>{" "}
              (OpenAPI 3.1). Reading needs no key and works from any origin.
            </p>
          </div>
          <Island
            name="try_api"
            component={TryApi}
            props={{ path: site.path, url: site.url, operations, exampleId }}
            frame={context}
          />
        </Layout>,
      );
    },
  }),
};

/** What the lists of the filter can be set to, by the name of the parameter. */
type Choices = Readonly<Record<string, readonly string[]>>;

/** An operation for its form. A list without choices is left out: there is nothing to choose. */
function toApiOperation(operation: Operation, choices: Choices): ApiOperation {
  const { method, summary, description: { body } } = operation;
  return {
    id: operationId(operation),
    method,
    path: templateOf(operation),
    summary,
    parameters: parametersOf(operation).map((parameter) => toApiParameter(parameter, choices))
      .filter(({ isList, values }) => !isList || values?.length !== 0),
    body: body && JSON.stringify(body.example, null, 2),
    answers: answersOf(operation)
      .map(([status, { description }]): [string, string] => [status, description]).sort(),
  };
}

function toApiParameter(
  { name, in: place, description = "", schema }: OperationParameter,
  choices: Choices,
): ApiParameter {
  const { type, format, minimum, maximum, default: usual } = schema;
  const isList = type === "array";
  const kind = maximum !== undefined ? `${minimum} to ${maximum}` : String(format ?? type);
  const takes = usual === undefined ? kind : `${kind}, default ${usual}`;
  const flag = ["true", "false"].includes(String(usual)) ? ["true", "false"] : undefined;
  return {
    name,
    in: place,
    description,
    takes: isList ? "may repeat" : takes,
    isList,
    values: choices[name] ?? schema.enum as string[] | undefined ?? flag,
  };
}
