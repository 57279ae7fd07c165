import type { Xml } from "../../text/xml.ts";
import type { NamedRelease } from "../digests/digest.ts";
import type { MailBody } from "./mail_body.ts";

/** The words of a mail; the HTML and the text say the same. */
export interface MailWords {
  subject: string;
  text: MailBody;
  html: MailBody;
}

/** What every mail names at its end. */
export interface MailSite {
  siteName: string;
  siteUrl: string;
  /** Absent: a plain sign in the colour of the site. */
  logo?: MailLogo;
  unsubscribeUrl: string;
  /** Where the receiver chooses what comes, and when. */
  preferencesUrl: string;
}

/** A picture that mail programs show, with its width at the height of a line, in pixels. */
export interface MailLogo {
  url: string;
  width: number;
}

/** What a mail says, of which its text and its HTML are written. */
export interface MailContent {
  subject: string;
  /** What mail programs show beside the subject. */
  preheader: string;
  heading: string;
  parts: MailPart[];
  /** Why the receiver gets it. */
  reason: string;
}

/** A part of a mail. */
export type MailPart =
  | { kind: "paragraph"; text: string }
  | { kind: "button" | "link"; label: string; url: string }
  | { kind: "counts"; counts: readonly { text: string; tone: MailTone }[] }
  | { kind: "releases"; title: string; tone: MailTone; items: WrittenItem[] };

/** The colour of what happened. */
export type MailTone = "green" | "amber" | "red" | "blue" | "quiet";

/** A release of a digest, written already. */
export interface WrittenItem {
  html: Xml;
  text: string;
}

/** A text of one line, as a header field and a preheader must be. */
export function formatLine(words: string): string {
  return words.replace(/\s+/g, " ");
}

/** The most releases that a sentence of an email names. */
const MAX_NAMES = 20;

/** The releases that a mail names, and a line that says how many more there are. */
export function firstOf(
  releases: readonly NamedRelease[],
): { shown: readonly NamedRelease[]; more: string[] } {
  const more = releases.length - MAX_NAMES;
  return {
    shown: releases.slice(0, MAX_NAMES),
    more: more > 0 ? [`and ${more} more`] : [],
  };
}
