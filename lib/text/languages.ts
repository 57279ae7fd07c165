/** The languages that a service can speak; each has a file in messages/. */
export const LANGUAGES = ["en", "de", "fr", "es", "pt-BR", "it", "nl", "pl", "ja", "ar"] as const;
