import { EmailForm } from "../subscribe/email_form.tsx";
import { hydrateIsland } from "../hydrate_island.ts";

hydrateIsland("email_form", EmailForm);
