import { makeDatabaseStates } from "./document_databases.ts";
import { makePlace, type Surroundings } from "./document_place.ts";
import { makeServerStates } from "./document_servers.ts";

/** The initial states of the examples in the documents; each is created once. */
export function makeStates(surroundings: Surroundings) {
  const place = makePlace(surroundings);
  return { ...makeServerStates(place), ...makeDatabaseStates(place) };
}
