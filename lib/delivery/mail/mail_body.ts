import { Buffer } from "node:buffer";
import { encode, wrap } from "nodemailer/lib/qp";

/** The text or the HTML of a mail: what all who get it read, and then the lines for one of them. */
export interface MailBody {
  readonly common: CommonLines;
  readonly own: string;
}

/** Whole lines that many mails begin with. They are encoded once: that takes longest of a mail. */
export class CommonLines {
  #encoded: Buffer | undefined;

  /** @param text ends with a line break */
  constructor(readonly text: string) {}

  get encoded(): Buffer {
    return this.#encoded ??= encodeLines(this.text);
  }
}

/** A body as its receiver reads it. */
export function readMailBody({ common, own }: MailBody): string {
  return common.text + own;
}

/** A body as a part of a MIME message, with its header. */
export function encodePart(type: "text/plain" | "text/html", { common, own }: MailBody): Buffer {
  const header = `Content-Type: ${type}; charset=utf-8\r\n` +
    "Content-Transfer-Encoding: quoted-printable\r\n\r\n";
  return Buffer.concat([Buffer.from(header), common.encoded, encodeLines(own)]);
}

/** RFC 2045, section 6.7: every line is encoded by itself, so that encoded lines can be joined. */
function encodeLines(text: string): Buffer {
  return Buffer.from(wrap(encode(text.replace(/\r\n?|\n/g, "\r\n"))), "latin1");
}
