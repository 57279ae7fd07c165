import { SubscribeForm } from "../subscribe_form.tsx";
import { wake } from "../wake.ts";

wake("subscribe", SubscribeForm);
