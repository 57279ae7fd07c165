import type { Cadence } from "../../text/cadence.ts";
import type { DiffPart } from "../../text/word_diff.ts";
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
  /** Of a digest, how often its receiver gets one. */
  cadence?: Cadence;
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
  /** `YYYY-MM-DD`: the day it was written, which stands beside the name of the site. */
  day?: string;
  parts: MailPart[];
  /** Why the receiver gets it. */
  reason: string;
}

/** What a person pastes into an email of their own. */
export type MailFragment = Pick<MailContent, "heading" | "parts">;

/** A part of a mail. */
export type MailPart =
  | { kind: "paragraph"; text: string }
  | { kind: "button" | "link"; label: string; url: string }
  | { kind: "counts"; counts: readonly { text: string; tone: MailTone }[] }
  | { kind: "releases"; title: string; tone: MailTone; bullet: "*" | "-"; items: MailItem[] };

/** The colour of what happened. */
export type MailTone = "green" | "amber" | "red" | "blue" | "quiet";

/** A release, or several to which the same happened; every text is one line. */
export interface MailItem {
  release_item_id: string;
  feature_name: string;
  /** The language of its name and sentence, if that is another than the email's. */
  lang?: string;
  /** What stands before the details, in its colour: a status, or what happened. */
  pill?: { text: string; tone: MailTone };
  /** Product, status, type and date. */
  details: string;
  /** What a release that is new or has shipped brings: the first sentence of its description. */
  sentence?: string;
  changes?: MailChange[];
  /** Of a sentence about several releases to which the same happened, in place of the name: which. */
  releases?: Pick<MailItem, "release_item_id" | "feature_name">[];
  /** How many of these releases are left out. */
  more?: number;
}

/** What changed, in words; of a rewritten text also which words. */
export interface MailChange {
  text: string;
  diff?: DiffPart[];
}
