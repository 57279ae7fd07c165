import { Places } from "../../work/fair_semaphore.ts";
import { Problem } from "../responses/problem.ts";
import { answerCaller } from "../clients/request_caller.ts";

/**
 * Of what each stream holds a piece is in memory while its client takes it. A client may lag behind
 * `bytesPerSecond` by `idleMs`, and a faster one cannot save up more.
 */
const DEFAULTS = { all: 32, ofNetwork: 4, idleMs: 60_000, bytesPerSecond: 4_096 };

/**
 * Responses that are written while their clients take them: a bounded number, a few of each network,
 * and none for a client that has stopped reading, or reads too slowly.
 */
export class OpenStreams {
  readonly #bounds: typeof DEFAULTS;
  readonly #places: Places;

  constructor(bounds: Partial<typeof DEFAULTS> = {}) {
    this.#bounds = { ...DEFAULTS, ...bounds };
    const { all, ofNetwork } = this.#bounds;
    this.#places = new Places({ capacity: all, share: ofNetwork, reserve: all });
  }

  /**
   * Makes a stream of pieces of text, the first two of which are written at once. Each piece is a
   * request of its own to the database: in the turn of its client, and with a limit of time.
   *
   * @throws {Problem} 503 if too many are open; what `write` throws before its second piece
   */
  async open(
    request: Request,
    network: string,
    write: () => AsyncGenerator<string>,
  ): Promise<ReadableStream<Uint8Array>> {
    const leave = this.#places.take(network);
    if (leave === null) {
      throw new Problem(503, "Too many tables are being downloaded; try again in a minute", {
        headers: { "Retry-After": "60" },
      });
    }
    const pieces = write();
    const next = () => answerCaller(request, network, () => pieces.next());
    let isOpen = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = () => {
      clearTimeout(timer);
      if (isOpen) leave();
      isOpen = false;
    };
    try {
      const first = [await next(), await next()]
        .map(({ done, value }) => done ? "" : value).join("");
      const encoder = new TextEncoder();
      const { idleMs, bytesPerSecond } = this.#bounds;
      let leftMs = idleMs;
      let sentAt = 0;
      let earnedMs = 0;
      const send = (controller: ReadableStreamDefaultController<Uint8Array>, text: string) => {
        const bytes = encoder.encode(text);
        controller.enqueue(bytes);
        sentAt = performance.now();
        earnedMs = bytes.length / bytesPerSecond * 1000;
        timer = setTimeout(() => {
          end();
          controller.error(new Error("The client has stopped reading"));
          void pieces.return(undefined);
        }, leftMs);
      };
      return new ReadableStream<Uint8Array>({
        start: (controller) => send(controller, first),
        pull: async (controller) => {
          clearTimeout(timer);
          leftMs = Math.min(idleMs, leftMs - (performance.now() - sentAt) + earnedMs);
          const { done, value } = await next().catch((error) => {
            end();
            throw error;
          });
          if (done) {
            end();
            return controller.close();
          }
          send(controller, value);
        },
        cancel: async () => {
          end();
          await pieces.return(undefined);
        },
      });
    } catch (error) {
      end();
      throw error;
    }
  }
}
