import { registerShard } from "../support/shards.ts";

await registerShard(6);
