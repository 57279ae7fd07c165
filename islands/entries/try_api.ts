import { TryApi } from "../try_api.tsx";
import { wake } from "../wake.ts";

wake("try_api", TryApi);
