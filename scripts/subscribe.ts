import "./email_form.ts";
import "./preferences.ts";
