import { useEffect, useState } from "preact/hooks";
import { breakable } from "../components/api/breakable.tsx";
import { callApi } from "../components/api/call_api.ts";
import { type ApiParameter, ParameterField, withCode } from "../components/api/parameter_field.tsx";
import { LANGUAGES, type SampledRequest } from "../components/api/request_samples.ts";

export type { ApiParameter };

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

export interface TryApiProps {
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
      <p>{withCode(summary)}.</p>
      <div class="exchange">
        <div>
          <form
            action={isPlain ? site.path + addressOf(operation, values, "path") : undefined}
            onSubmit={(e) => void run(e)}
          >
            <Parameters operation={operation} values={values} onChange={setValues} />
            {body !== undefined && <Body id={`${id}-body`} value={body} onChange={setBody} />}
            <button type="submit" disabled={!isPlain && !hasScript}>
              Run<span class="visually-hidden">{` ${path}`}</span>
            </button>
          </form>
          <Samples {...operation} address={site.url + address} body={body} />
        </div>
        <div>
          <h3>Response</h3>
          <div role="status">
            {answer && <Code label={`Response of ${path}`} text={answer} />}
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
        <summary>{`${optional.length} optional parameters`}</summary>
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

/** The request as code; the style sheet shows that of the chosen language, even without a script. */
function Samples(request: SampledRequest & { path: string }) {
  return (
    <fieldset class="samples">
      <legend class="visually-hidden">Code</legend>
      <div class="languages">
        {Object.keys(LANGUAGES).map((language, place) => (
          <label key={language}>
            <input type="radio" name="language" value={language} defaultChecked={place === 0} />
            {language}
          </label>
        ))}
      </div>
      {Object.entries(LANGUAGES).map(([language, write]) => (
        <Code key={language} label={`${language} for ${request.path}`} text={write(request)} />
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
          <dd>{withCode(description)}</dd>
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
