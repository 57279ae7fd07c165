import { z } from "zod";
import { type BounceReport, toReason } from "./bounce.ts";

/** What Postmark posts of a bounce or a complaint. */
const EVENT = z.object({
  RecordType: z.enum(["Bounce", "SpamComplaint"]),
  ID: z.int(),
  Type: z.string(),
  Email: z.string(),
  Description: z.string().nullish(),
  Details: z.string().nullish(),
});

/** The types that are about the mailbox and final; the others are delays, or about the email. */
const PERMANENT = ["HardBounce", "BadEmailAddress"];

/** Reads a webhook of Postmark; null where it is about something else. */
export function readPostmark(body: unknown): BounceReport | null {
  const { data } = EVENT.safeParse(body);
  if (!data) return null;
  const { RecordType, ID, Type, Email: email, Description, Details } = data;
  const isComplaint = Type === "SpamComplaint";
  const reason = toReason(`Postmark: ${Type}`, Description, Details);
  return {
    key: `postmark:${RecordType}:${ID}`,
    bounces: isComplaint || PERMANENT.includes(Type) ? [{ email, isComplaint, reason }] : [],
  };
}
