import { useEffect, useState } from "preact/hooks";
import { CheckList } from "../components/check_list.tsx";
import { CodeText, hidden } from "../components/name.tsx";
import type { NamedList } from "../lib/roadmap/filter/filter_options.ts";
import { rich, say } from "../lib/text/say.ts";

/** One operation of the API, as a page shows it. */
export interface ApiOperation {
  id: string;
  method: string;
  path: string;
  summary: string;
  parameters: ApiParameter[];
  /** An example of a JSON body, if the operation takes one. */
  body?: string;
  answersJson: boolean;
  /** Status and meaning of each response. */
  answers: [string, string][];
}

interface TryApiProps {
  /** Of the site, as in `/b` */
  path: string;
  /** Of the site, absolute. */
  url: string;
  operation: ApiOperation;
  /** The id of an existing release. */
  exampleId: string;
}

/** What is chosen for each parameter, by its name. */
type Values = Readonly<Record<string, readonly string[]>>;

/** What the lists of parameters are called where they are searched. */
const LISTS: Readonly<Record<string, NamedList>> = {
  product_name: "product",
  release_type: "type",
  release_status: "status",
  tag: "tag",
};

/** The most optional parameters that do not hide the button that runs the request. */
const MAX_UNFOLDED = 2;

/** An operation with a form that runs it; without a script the form opens the response of a GET. */
export default function TryApi({ operation, exampleId, ...site }: TryApiProps) {
  const { id, method, path, summary, parameters } = operation;
  const [values, setValues] = useState<Values>(firstValues(parameters, exampleId));
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
      <p>
        <CodeText text={summary} />.
      </p>
      <div class="exchange">
        <div>
          <form
            action={isPlain ? site.path + addressOf(operation, values, "path") : undefined}
            onSubmit={(e) => void run(e)}
          >
            <Parameters operation={operation} values={values} onChange={setValues} />
            {body !== undefined && <Body id={`${id}-body`} value={body} onChange={setBody} />}
            <button type="submit" disabled={!isPlain && !hasScript}>
              {rich("api.run", { path, hidden })}
            </button>
          </form>
          <Samples {...operation} address={site.url + address} body={body} />
        </div>
        <div>
          <h3>{say("api.response")}</h3>
          <div role="status">
            {answer && <Code label={say("api.response_of", { path })} text={answer} />}
          </div>
          <Responses {...operation} />
        </div>
      </div>
    </section>
  );
}

/** The fields of an operation; many optional ones are folded. */
function Parameters({ operation: { id, parameters }, values, onChange }: {
  operation: ApiOperation;
  values: Values;
  onChange(values: Values): void;
}) {
  const fields = (shown: readonly ApiParameter[]) => (
    <div class="parameters">
      {shown.map((parameter) => (
        <ParameterField
          key={parameter.name}
          id={`${id}-${parameter.name}`}
          parameter={parameter}
          chosen={values[parameter.name] ?? []}
          onChange={(chosen) => onChange({ ...values, [parameter.name]: chosen })}
        />
      ))}
    </div>
  );
  const optional = parameters.filter((parameter) => parameter.in === "query");
  if (optional.length <= MAX_UNFOLDED) return fields(parameters);
  return (
    <>
      {fields(parameters.filter((parameter) => parameter.in === "path"))}
      <details class="optional">
        <summary>{say("api.optional", { count: optional.length })}</summary>
        {fields(optional)}
      </details>
    </>
  );
}

function Body({ id, value, onChange }: {
  id: string;
  value: string;
  onChange(value: string): void;
}) {
  return (
    <div class="field">
      <label for={id}>{say("api.body_json")}</label>
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

/** The request as code; the style sheet shows that of the chosen language, even without a script. */
function Samples(request: SampledRequest & { path: string }) {
  return (
    <fieldset class="samples">
      <legend class="visually-hidden">{say("api.code")}</legend>
      <div class="languages">
        {Object.keys(LANGUAGES).map((language, place) => (
          <label key={language}>
            <input type="radio" name="language" value={language} defaultChecked={place === 0} />
            {language}
          </label>
        ))}
      </div>
      {Object.entries(LANGUAGES).map(([language, write]) => (
        <Code key={language} label={`${language} ${request.path}`} text={write(request)} />
      ))}
    </fieldset>
  );
}

/** The statuses that an operation responds with. */
function Responses({ answers }: ApiOperation) {
  return (
    <dl class="answers">
      {answers.map(([status, description]) => (
        <div key={status}>
          <dt>{status}</dt>
          <dd>
            <CodeText text={description} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Long lines can be scrolled, also by keyboard. */
function Code({ label, text }: { label: string; text: string }) {
  return <pre tabIndex={0} role="group" aria-label={label}><code>{text}</code></pre>;
}

function firstValues(parameters: readonly ApiParameter[], exampleId: string): Values {
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

/** A field of a form for a parameter: a list, a choice, or a text. */
function ParameterField({ id, parameter, chosen, onChange }: {
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
        <CheckList
          name={name}
          label={name}
          list={LISTS[name] ?? "source"}
          listed={listed}
          chosen={chosen}
          onChange={onChange}
        />
        <p class="hint">
          <CodeText text={description} />
        </p>
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
            <option value="">{say("api.not_set")}</option>
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
      <p class="hint">
        <CodeText text={description} />
      </p>
    </div>
  );
}

/** A request, as a sample of code sends it. */
interface SampledRequest {
  address: string;
  method: string;
  /** JSON, as a person wrote it. */
  body?: string;
  /** Its response is JSON. */
  answersJson: boolean;
}

/** The programs that send a request, by the name of their language. */
const LANGUAGES = { curl, JavaScript: javaScript, Python: python } as const;

/**
 * A command that sends a request.
 *
 * ```ts
 * const sample = curl({ address: "http://localhost/api?q=it's", method: "GET", answersJson: true });
 * if (sample !== "curl 'http://localhost/api?q=it'\\''s'") throw new Error(sample);
 * ```
 */
export function curl({ address, method, body }: SampledRequest): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  if (body === undefined) return `curl ${quoted(address)}`;
  return `curl -X ${method} -H 'Content-Type: application/json' \\\n  -d ${quoted(body)} \\\n  ${
    quoted(address)
  }`;
}

/** A program that sends a request, for a browser, Deno or Node. */
function javaScript({ address, method, body, answersJson }: SampledRequest): string {
  const options = body === undefined ? "" : `, {
  method: ${JSON.stringify(method)},
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(${body.replaceAll("\n", "\n  ")}),
}`;
  return `const response = await fetch(${JSON.stringify(address)}${options});
console.log(await response.${answersJson ? "json" : "text"}());`;
}

/** A program that sends a request, with nothing but Python's own library. */
function python({ address, method, body, answersJson }: SampledRequest): string {
  // A string of JSON is one of Python too.
  const quoted = JSON.stringify(address);
  const [imported, request] = body === undefined ? ["urlopen", quoted] : [
    "Request, urlopen",
    `Request(
    ${quoted},
    method=${JSON.stringify(method)},
    headers={"Content-Type": "application/json"},
    data=${JSON.stringify(body)}.encode(),
)`,
  ];
  return `${answersJson ? "import json\n" : ""}from urllib.request import ${imported}

with urlopen(${request}) as response:
    print(${answersJson ? "json.load(response)" : "response.read().decode()"})`;
}

/** A response is shown up to this length. */
const MAX_SHOWN_LENGTH = 6_000;

/** Sends a request, and returns the response as text: status, headers and body. */
async function callApi(
  address: string,
  { method, body }: { method: string; body?: string },
): Promise<string> {
  try {
    const headers = body === undefined ? undefined : { "Content-Type": "application/json" };
    const response = await fetch(address, { method, body, headers, cache: "no-cache" });
    const text = indent(await response.text());
    const shown = text.length > MAX_SHOWN_LENGTH
      ? `${text.slice(0, MAX_SHOWN_LENGTH)}\n… ${
        say("api.more_characters", { count: text.length - MAX_SHOWN_LENGTH })
      }`
      : text;
    const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    return `${response.status} ${response.statusText}\n${lines}\n\n${shown}`;
  } catch {
    return say("form.unreachable");
  }
}

/** Pretty-printed JSON; anything else unchanged. */
function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** A path that may break before each slash. */
export function breakable(path: string) {
  return path.split(/(?=\/)/).map((part) => (
    <>
      {part}
      <wbr />
    </>
  ));
}
