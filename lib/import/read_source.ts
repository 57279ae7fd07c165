import { getLogger } from "@logtape/logtape";
import { secretsIn, splitLogin, withoutSecrets } from "../text/secrets.ts";
import { collectBytes } from "../work/byte_streams.ts";
import { runInWorker, WorkerFailure, WorkerLimitError } from "../work/run_in_worker.ts";
import { type Delivery, FetchError, type Validators } from "./fetching/fetch_address.ts";
import { fillParameters, isAddress, openLocation, showLocation } from "./fetching/location.ts";
import { Timeout } from "./fetching/timeout.ts";
import { DEFAULT_SOURCE, type ImportOptions } from "./import_options.ts";
import type { Document, DocumentRequest, Kind, SourceSettings } from "./kinds/kind.ts";
import { completeOptions, findKind, kindOf } from "./kinds/known_kinds.ts";
import { namedColumns } from "./mapping/fields.ts";
import type { DocumentAnswer, PageSeen, Reading, ReadJob, ReadOutcome } from "./read_items.ts";
import { SnapshotError } from "./snapshot_error.ts";

const log = getLogger(["roadcast", "import"]);

const MEGABYTE = 1024 * 1024;
/** One document, and all pages of a source, unless ROADMAP_MAX_MB says otherwise. */
const MAX_READ_BYTES = { document: 64 * MEGABYTE, source: 256 * MEGABYTE };
/** More than any roadmap has; a source that links on and on is wrong. */
const MAX_PAGES = 10_000;
const MAX_ADDRESS_LENGTH = 4_000;
/** What the largest documents take on a busy machine, several times over. */
const LIMITS = { heapMb: 1_536, seconds: 60 };
const WORKER = new URL("./read_worker.ts", import.meta.url);

const DEFAULT_SETTINGS: SourceSettings = {
  github: { apiUrl: "https://api.github.com", token: null },
  gitlab: { url: "https://gitlab.com", token: null },
  jira: { url: null, email: null, token: null },
};

/**
 * Reads a file or a URL, with all pages that it names, and maps its rows; null if none of the pages
 * seen before has changed.
 *
 * @throws {SnapshotError} that names the location and says why it cannot be read
 */
export async function readSource(
  location: string,
  options: ImportOptions,
  seen: readonly PageSeen[] = [],
): Promise<Reading | null> {
  const kind = kindOf(location, options.kind);
  const { settings = DEFAULT_SETTINGS, fields, signal } = options;
  const secrets = secretsOf(location, options);
  const opener = new Opener(location, { ...options, settings }, kind ? findKind(kind) : null);
  if (await opener.isUnchanged(seen)) return null;
  const { github: { apiUrl }, gitlab: { url } } = settings;
  const outcome = await runReadJob(
    {
      location,
      shown: showLocation(location),
      kind,
      fields: fields ?? {},
      sourceName: options.sourceName ?? DEFAULT_SOURCE,
      asOf: options.asOf,
      dayOrder: options.dayOrder ?? null,
      sheet: options.sheet,
      encoding: options.encoding,
      api: options.api,
      columns: namedColumns(fields ?? {}),
      settings: { github: { apiUrl }, gitlab: { url } },
      onlyFirstPage: options.onlyFirstPage,
    },
    { shown: showLocation(location), signal, secrets },
    opener,
  ).catch((error) => {
    if (error instanceof SnapshotError) error.message = withoutSecrets(error.message, secrets);
    throw error;
  });
  if (!("reading" in outcome)) throw new Error("The worker has read no items");
  const { reading } = outcome;
  const kept = reading.problems.kept.map((problem) => ({
    ...problem,
    reason: withoutSecrets(problem.reason, secrets),
  }));
  // Without validators the pages are read again, though their server may call them unchanged.
  const pages = reading.dependsOnDay
    ? opener.pages.map((page) => ({ ...page, validators: null }))
    : opener.pages;
  return { ...reading, problems: { ...reading.problems, kept }, pages };
}

/** What no message about a source may repeat. */
function secretsOf(location: string, { settings, headers, secrets = [] }: ImportOptions): string[] {
  const { github, gitlab, jira } = settings ?? DEFAULT_SETTINGS;
  const own = [github.token, gitlab.token, jira.token].filter((token) => token !== null);
  return [...secretsIn(location, headers), ...secrets, ...own];
}

/**
 * Reads the first page of a source, by one request, and stores nothing.
 *
 * @throws {SnapshotError} if the page cannot be read
 */
export async function trySource(location: string, given: ImportOptions): Promise<Reading> {
  const options = completeOptions(location, given);
  return (await readSource(location, { ...options, pausesMs: [], onlyFirstPage: true }))!;
}

/**
 * Has a worker read documents, which the opener opens.
 *
 * @throws {SnapshotError} that says what is wrong with them
 */
export async function runReadJob(
  job: ReadJob,
  { shown, signal, secrets = [] }: {
    shown: string;
    signal?: AbortSignal;
    secrets?: readonly string[];
  },
  opener?: Opener,
): Promise<Exclude<ReadOutcome, { refusal: string }>> {
  const limits = { ...LIMITS, signal };
  try {
    const outcome = await runInWorker<ReadOutcome>(
      WORKER,
      job,
      limits,
      (question) => opener!.answer(question as DocumentRequest),
    );
    if (!("refusal" in outcome)) return outcome;
    const error = outcome.isOpening ? opener?.failure : undefined;
    if (error === undefined) throw new SnapshotError(outcome.refusal);
    if (error instanceof SnapshotError) error.message = outcome.refusal;
    throw error;
  } catch (error) {
    if (error instanceof WorkerLimitError) {
      throw new SnapshotError(`Cannot read ${shown}: reading it ${error.message}`);
    }
    if (!(error instanceof WorkerFailure)) throw error;
    log.error("Reading {source} failed unexpectedly: {stack}", {
      source: shown,
      stack: withoutSecrets(error.stack, secrets),
    });
    throw new SnapshotError(`Cannot read ${shown}: something unexpected is wrong with it`);
  }
}

/** Opens the documents of one source: its location, and what its own documents name. */
class Opener {
  readonly pages: PageSeen[] = [];
  /** Why a document could not be opened. */
  failure: Error | undefined;
  readonly #timeout: Timeout;
  readonly #visited = new Set<string>();
  readonly #publicHosts = new Set<string>();
  #bytes = 0;
  /** The address that was asked for first, the only one to get secrets. */
  #start: string | undefined;
  /** The origin of the first document after redirects, which the others must have, too. */
  #origin: string | undefined;
  /** The first page, which was opened to see whether it has changed. */
  #opened: { address: string; delivery: Delivery } | null = null;

  constructor(
    private readonly location: string,
    private readonly options: ImportOptions & { settings: SourceSettings },
    private readonly kind: Kind | null,
  ) {
    this.#timeout = new Timeout(options);
  }

  /** Whether none of the pages has changed; those whose server sends no validators may have. */
  async isUnchanged(seen: readonly PageSeen[]): Promise<boolean> {
    for (const [place, { address, validators }] of seen.entries()) {
      if (validators === null) return false;
      this.#start ??= address;
      let delivery: Delivery | null;
      try {
        delivery = await this.#fetch(address, { validators });
      } catch (error) {
        const { mayPass = true, retryAfterMs = 0 } = error instanceof FetchError ? error : {};
        const isFirst = place === 0 && mayPass;
        if (isFirst || retryAfterMs > 0 || !(error instanceof SnapshotError)) {
          throw error;
        }
        return false; // reading all of it says what is wrong
      }
      if (delivery === null) continue;
      if (place === 0) this.#opened = { address, delivery };
      else await delivery.chunks[Symbol.asyncIterator]().return?.();
      return false;
    }
    return seen.length > 0;
  }

  async answer(question: DocumentRequest): Promise<DocumentAnswer> {
    try {
      return { document: await this.#open(question) };
    } catch (error) {
      this.failure = error as Error;
      return { failure: this.failure.message };
    }
  }

  async #open(question: DocumentRequest): Promise<Document | null> {
    const { absentAt = [], request = null } = question;
    const address = this.#resolve(question);
    this.#visit(address, question);
    const { delivery: given } = this.options;
    const opened = this.#opened?.address === address ? this.#opened.delivery : null;
    this.#opened = null;
    let delivery: Delivery;
    try {
      delivery = given ?? opened ?? (await this.#fetch(address, { request }))!;
    } catch (error) {
      const isRefused = error instanceof FetchError && !error.mayPass;
      if (isRefused && absentAt.includes(error.status!)) return null;
      throw error;
    }
    const shown = showLocation(
      isAddress(this.location) && question.base === undefined ? this.location : address,
    );
    const bytes = await this.#collect(delivery, shown);
    if (isAddress(delivery.address)) this.#origin ??= new URL(delivery.address).origin;
    this.pages.push({ address, validators: request ? null : delivery.validators });
    return documentOf(delivery, { shown, bytes });
  }

  #resolve({ address, base }: DocumentRequest): string {
    if (base === undefined) {
      const own = splitLogin(exportAddress(address)).address;
      this.#start ??= own;
      return own;
    }
    if (address.length > MAX_ADDRESS_LENGTH) {
      throw this.#refuse(`its links.next is longer than ${MAX_ADDRESS_LENGTH} characters`);
    }
    const url = URL.parse(address, base);
    if (url === null) throw this.#refuse("its links.next is not an address");
    if (url.origin !== this.#origin) {
      throw this.#refuse(
        `its links.next leads to ${showLocation(url.href)}; all pages must be at ${this.#origin}`,
      );
    }
    url.hash = "";
    return splitLogin(url.href).address;
  }

  #visit(address: string, { request }: DocumentRequest): void {
    const key = `${address} ${request?.body ?? ""}`;
    if (this.#visited.has(key)) {
      throw this.#refuse(`its links.next loop at ${showLocation(address)}`);
    }
    if (this.#visited.size === MAX_PAGES) {
      throw this.#refuse(`its links.next span more than ${MAX_PAGES} pages`);
    }
    this.#visited.add(key);
  }

  #fetch(
    address: string,
    given: { request?: DocumentRequest["request"]; validators?: Validators },
  ): Promise<Delivery | null> {
    const { settings, headers, parameters, allowsPrivate = true } = this.options;
    const { kind } = this;
    const isAt = (place: string | null | undefined) =>
      isAddress(address) && isAddress(place ?? "") &&
      new URL(address).origin === new URL(place!).origin;
    // They may hold secrets, which only the origin of the source gets.
    const isOwn = isAt(this.#start);
    // A token goes only where its setting says, whatever a source names.
    const isSignedIn = isOwn && isAt(kind?.signIn?.at(settings));
    return openLocation(isOwn ? fillParameters(this.#withLogin(address), parameters) : address, {
      ...this.options,
      ...given,
      headers: {
        ...kind?.headers,
        ...isSignedIn && kind!.signIn!.headers(settings),
        ...isOwn && headers,
      },
      credentials: kind?.signIn?.variables,
      // Who set the environment has named that server.
      allowsPrivate: allowsPrivate || isSignedIn,
      timeout: this.#timeout,
      publicHosts: this.#publicHosts,
    });
  }

  /** The name and password of the location, on its own origin only. */
  #withLogin(address: string): string {
    const own = isAddress(this.location) ? new URL(this.location) : null;
    const url = new URL(address);
    if (own === null || own.origin !== url.origin) return address;
    url.username = own.username;
    url.password = own.password;
    return url.href;
  }

  async #collect(delivery: Delivery, shown: string): Promise<Uint8Array<ArrayBuffer>> {
    const { maxBytes = MAX_READ_BYTES.source, onProgress, signal } = this.options;
    const before = this.#bytes;
    return await collectBytes(
      delivery.chunks,
      Math.min(MAX_READ_BYTES.document, maxBytes - before),
      () => {
        if (this.#bytes < maxBytes && before + MAX_READ_BYTES.document < maxBytes) {
          throw new SnapshotError(
            `Cannot read ${shown}: it is larger than 64 MB, the most that one document may have: ` +
              "divide it, or use smaller pages",
          );
        }
        throw this.#refuse(
          `it is larger than ${maxBytes / MEGABYTE} MB; ROADMAP_MAX_MB sets the limit`,
        );
      },
      (bytes) => {
        signal?.throwIfAborted();
        this.#bytes += bytes;
        const { length } = delivery;
        onProgress?.({ share: length && Math.min(1, (this.#bytes - before) / length) });
      },
    );
  }

  #refuse(reason: string): SnapshotError {
    return new SnapshotError(`Cannot read ${showLocation(this.location)}: ${reason}`);
  }
}

/**
 * What a spreadsheet of Google is exported at: everybody has the address of its editor.
 *
 * ```ts
 * const sheet = "https://docs.google.com/spreadsheets/d/1aB-2_c";
 * const csv = exportAddress(`${sheet}/edit?usp=sharing#gid=42`);
 * if (csv !== `${sheet}/export?format=csv&gid=42`) throw new Error(csv);
 * if (exportAddress(`${sheet}/edit`) !== `${sheet}/export?format=csv`) throw new Error();
 * if (exportAddress("https://example.com/edit") !== "https://example.com/edit") throw new Error();
 * ```
 */
export function exportAddress(address: string): string {
  const [, document, gid] =
    /^(https:\/\/docs\.google\.com\/spreadsheets\/d\/[\w-]+)\/edit(?:.{0,200}?[?#&]gid=(\d{1,20}))?/
      .exec(address) ?? [];
  if (document === undefined) return address;
  return `${document}/export?format=csv${gid === undefined ? "" : `&gid=${gid}`}`;
}

/** What was delivered, with all of its bytes. */
export function documentOf(
  { address, contentType, charset, next, headers }: Delivery,
  { shown, bytes }: { shown: string; bytes: Uint8Array<ArrayBuffer> },
): Document {
  return {
    shown,
    address,
    bytes,
    contentType,
    charset,
    link: next,
    headers: Object.fromEntries(headers ?? []),
  };
}
