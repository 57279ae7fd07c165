import { makeDatabaseStates } from "./document_databases.ts";
import { makePlace, type Surroundings } from "./document_place.ts";
import { makeServerStates } from "./document_servers.ts";

/** The states that the examples of the documents start from; each is made once. */
export function makeStates(surroundings: Surroundings) {
  const place = makePlace(surroundings);
  return { ...makeServerStates(place), ...makeDatabaseStates(place) };
}
