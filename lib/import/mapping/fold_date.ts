import { foldWord, isWeekday, monthOf } from "./date_words.ts";

/** One blank, one dash, one kind of digit; nothing that is not seen; no accents, lower case. */
export function foldDate(text: string): string {
  const plain = text.normalize("NFKC").replace(/\p{Cf}/gu, "").replace(/[\p{Z}\s]+/gu, " ")
    .replace(/[\p{Pd}−‑]/gu, "-").replace(/\p{Nd}/gu, digitOf);
  return foldWord(plain).replace(/[‘’`´]/g, "'").trim();
}

/** A digit of any script: each has its ten in a row. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0)!;
  if (code < 128) return digit;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value);
}

/** Where the time of a day begins. */
const TIME =
  /(?:t|,? (?:(?:at|um|a|as|a las|alle|alle ore|om|o|kl\.?|godz\.?|-) )?)\d{1,2}[:h]\d{2}/;

/** The same date without its time, its weekday, and what is said about it. */
export function tidy(folded: string): string {
  const plain = folded.replace(/ ?[([][^()[\]]*[)\]]$/, "").replace(/ ?[?*!]{1,5}$/, "")
    .replace(/^\d{1,2}:\d{2}(?::\d{2})? ?(?:[ap]\.?m\.?)?,? (?=\S)/, "")
    // `Thu Jun 25 23:00:00 UTC 2026`: the year stands behind the time.
    .replace(/ \d{1,2}:\d{2}(?::\d{2})?(?: [a-z]{3,4})?(?= \d{4}$)/, "");
  const time = plain.search(TIME);
  const bare = (time === -1 ? plain : plain.slice(0, time))
    .replace(/,? (?:at )?\d{1,2} ?[ap]\.?m\.?$/, "").replace(/[ ,-]{1,5}$/, "");
  const [start = "", word = ""] = /^([a-z]{2,12}(?:-feira)?)\.?,? ?(?=\S)/.exec(bare) ?? [];
  const rest = bare.slice(start.length);
  // "mar" is a day in Spanish, and a month too.
  return isWeekday(word) && (monthOf(word) === 0 || monthIn(rest)) ? rest : bare;
}

function monthIn(text: string): boolean {
  return (text.match(/[a-z]+/g) ?? []).some((word) => monthOf(word) > 0);
}

const APPROXIMATE =
  /^(?:[~≈±] ?|(?:c|ca|circa|approx|approximately|about|around|est|estimated|expected|planned|planned for|target|targeted|targeting|tentatively|by|due|in|on|for|eta|voraussichtlich|geplant|im|am|vers|env|environ|prevu|previsto|en|em)[.:]? )/;

/** Words that say nothing about the day. */
export function withoutRemarks(text: string): string {
  let rest = text;
  for (let before = ""; before !== rest;) {
    before = rest;
    rest = rest.replace(APPROXIMATE, "")
      .replace(
        /[ ,;-]{1,5}(?:tentative|tentatively|est|estimated|approx|expected|planned|target)\.?$/,
        "",
      );
  }
  return rest;
}
