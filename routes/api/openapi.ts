import { describeApi } from "./describe_api.ts";
import { json, type ReadHandler } from "../route.ts";

/** The description of the API as OpenAPI 3.1. */
export const openapi: ReadHandler = {
  read: (_input, context) => ({
    normalised: null,
    build: () => Promise.resolve(json(describeApi(context))),
  }),
};
