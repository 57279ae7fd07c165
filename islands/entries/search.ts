import { Search } from "../search.tsx";
import { wake } from "../wake.ts";

wake("search", Search);
