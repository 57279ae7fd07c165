import { parentPort, workerData } from "node:worker_threads";
import { DetectError, MalformedError, ParseError, parseFeed } from "feedsmith";
import { toFeed } from "./feed_entries.ts";

// In a worker: with a megabyte of odd XML the parser is busy for minutes, and takes gigabytes.
const { text, location } = workerData as { text: string; location: string };
try {
  parentPort!.postMessage(toFeed(parseFeed(text), location));
} catch (error) {
  if (![DetectError, MalformedError, ParseError].some((type) => error instanceof type)) throw error;
  parentPort!.postMessage(null); // it is no feed
}
