import { useEffect, useState } from "preact/hooks";
import { FilterList } from "../subscribe/filter_list.tsx";
import { callApi, curl } from "./call_api.ts";

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

export interface TryApiProps {
  /** Of the site, as in `/b` */
  path: string;
  /** Of the site, absolute. */
  url: string;
  operations: readonly ApiOperation[];
  /** The id of an existing release. */
  exampleId: string;
}

/** Every API operation with a form that runs it; without a script GET forms open the response. */
export function TryApi({ operations, ...site }: TryApiProps) {
  return (
    <div class="operations">
      {operations.map((operation) => (
        <Operation key={operation.id} operation={operation} {...site} />
      ))}
    </div>
  );
}

type Site = Omit<TryApiProps, "operations">;

/** What is chosen for each parameter, by its name. */
type Values = Readonly<Record<string, readonly string[]>>;

function Operation({ operation, ...site }: { operation: ApiOperation } & Site) {
  const { id, method, path, summary, parameters } = operation;
  const [values, setValues] = useState<Values>(firstValues(operation, site));
  const [body, setBody] = useState(operation.body);
  const [answer, setAnswer] = useState("");
  const [hasScript, setHasScript] = useState(false);
  useEffect(() => setHasScript(true), []);
  const address = addressOf(operation, values);
  // A plain form can only ask: what needs a JSON body is run by the script.
  const isPlain = method === "GET";

  async function run(event: Event): Promise<void> {
    event.preventDefault();
    setAnswer("…");
    setAnswer(await callApi(site.path + address, { method, body }));
  }

  return (
    <section class="operation" aria-labelledby={id}>
      <h2 id={id}>
        <span class={`method method-${method.toLowerCase()}`}>{method}</span>{" "}
        <code>{breakable(path)}</code>
      </h2>
      <p>{withCode(summary)}.</p>
      <form
        action={isPlain ? site.path + addressOf(operation, values, "path") : undefined}
        onSubmit={(e) => void run(e)}
      >
        <div class="parameters">
          {parameters.map((parameter) => (
            <Field
              key={parameter.name}
              id={`${id}-${parameter.name}`}
              parameter={parameter}
              chosen={values[parameter.name] ?? []}
              onChange={(chosen) => setValues({ ...values, [parameter.name]: chosen })}
            />
          ))}
        </div>
        {body !== undefined && <Body id={`${id}-body`} value={body} onChange={setBody} />}
        <Code
          label={`curl command for ${path}`}
          text={curl(site.url + address, { method, body })}
        />
        <button type="submit" disabled={!isPlain && !hasScript}>
          Run<span class="visually-hidden">{` ${path}`}</span>
        </button>
      </form>
      <div role="status">
        {answer && <Code label={`Response of ${path}`} text={answer} />}
      </div>
      <Responses {...operation} />
    </section>
  );
}

function Body({ id, value, onChange }: {
  id: string;
  value: string;
  onChange(value: string): void;
}) {
  return (
    <div class="field">
      <label for={id}>Body (JSON)</label>
      <textarea
        id={id}
        rows={8}
        spellcheck={false}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </div>
  );
}

/** The list of responses, closed at first. */
function Responses({ path, answers }: ApiOperation) {
  return (
    <details>
      <summary>
        Responses<span class="visually-hidden">{` of ${path}`}</span>
      </summary>
      <dl class="answers">
        {answers.map(([status, description]) => (
          <div key={status}>
            <dt>{status}</dt>
            <dd>{withCode(description)}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Field({ id, parameter, chosen, onChange }: {
  id: string;
  parameter: ApiParameter;
  chosen: readonly string[];
  onChange(chosen: string[]): void;
}) {
  const { name, in: place, description, takes, values, isList } = parameter;
  // A plain form must not send a path parameter in the query.
  const sentAs = place === "query" ? name : undefined;
  const choose = (value: string) => onChange(value === "" ? [] : [value]);
  if (isList && values) {
    const listed = { values, total: values.length };
    return (
      <div class="parameter">
        <FilterList
          name={name}
          label={name}
          many="values"
          listed={listed}
          chosen={chosen}
          onChange={onChange}
        />
        <p class="hint">{withCode(description)}</p>
      </div>
    );
  }
  return (
    <div class="field">
      <label for={id}>
        <code>{name}</code> <span class="quiet">{takes}</span>
      </label>
      {values
        ? (
          <select
            id={id}
            name={sentAs}
            value={chosen[0] ?? ""}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          >
            <option value="">not set</option>
            {values.map((one) => <option key={one} value={one}>{one}</option>)}
          </select>
        )
        : (
          <input
            id={id}
            name={sentAs}
            value={chosen[0] ?? ""}
            onInput={({ currentTarget }) => choose(currentTarget.value)}
            autocomplete="off"
          />
        )}
      <p class="hint">{withCode(description)}</p>
    </div>
  );
}

/** Text between backticks is code. */
function withCode(text: string) {
  return text.split("`").map((part, place) =>
    place % 2 === 1 ? <code key={place}>{part}</code> : part
  );
}

/** Long lines can be scrolled, also by keyboard. */
function Code({ label, text }: { label: string; text: string }) {
  return <pre tabIndex={0} role="group" aria-label={label}><code>{text}</code></pre>;
}

/** A long path may break before each slash. */
function breakable(path: string) {
  return path.split(/(?=\/)/).map((part) => (
    <>
      {part}
      <wbr />
    </>
  ));
}

function firstValues({ parameters }: ApiOperation, { exampleId }: Site): Values {
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  return Object.fromEntries(inPath.map(({ name }) => [name, [exampleId]]));
}

function addressOf(
  { path, parameters }: ApiOperation,
  values: Values,
  part: "all" | "path" = "all",
): string {
  const encoded = (name: string) => (values[name] ?? []).map(encodeURIComponent);
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encoded(name)[0] ?? "");
  if (part === "path") return filled;
  const query = parameters.filter((one) => one.in === "query")
    .flatMap(({ name }) => encoded(name).map((value) => `${name}=${value}`));
  return query.length > 0 ? `${filled}?${query.join("&")}` : filled;
}
