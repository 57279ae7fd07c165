/**
 * A statement of a text of several: its words outside of parentheses, in lower case unless they are
 * quoted, and its other signs.
 */
type Statement = readonly string[];

/** A blank, a string, a quoted name, a word, or any other sign. */
const TOKEN =
  /\s+|--[^\n]*|[eE]'(?:[^'\\]|\\[^]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*|[^]/uy;
const DOLLAR_QUOTE = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy;
const COMMENT_MARK = /\/\*|\*\//g;

/**
 * Splits a text as PostgreSQL's lexer does, for as much of it as tells statements apart.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 *
 * const [first] = splitStatements("copy t (a) /* ; *" + "/ from STDIN; select 1");
 * deepStrictEqual(first, ["copy", "t", "(", ")", "from", "stdin"]);
 * ```
 */
export function splitStatements(text: string): Statement[] {
  const statements: Statement[] = [];
  let words: string[] = [];
  let depth = 0;
  const end = () => {
    if (words.length > 0) statements.push(words);
    [words, depth] = [[], 0];
  };
  for (let at = 0; at < text.length;) {
    const next = endOfToken(text, at);
    const token = text.slice(at, next);
    if (token === ")") depth--;
    if (token === ";") end();
    else if (depth <= 0 && !/^(\s|--|\/\*)/.test(token)) {
      words.push(token.startsWith('"') ? token : token.toLowerCase());
    }
    if (token === "(") depth++;
    at = next;
  }
  end();
  return statements;
}

/** Whether a statement is `copy … from stdin`; PostgreSQL also takes `stdout` for it. */
export function copiesIn(words: Statement): boolean {
  return words[0] === "copy" &&
    words.some((word, index) => word === "from" && /^std(in|out)$/.test(words[index + 1] ?? ""));
}

function endOfToken(text: string, at: number): number {
  if (text.startsWith("/*", at)) return endOfComment(text, at);
  const quote = text[at] === "$" && matchAt(DOLLAR_QUOTE, text, at);
  if (quote) {
    const end = text.indexOf(quote, at + quote.length);
    return end < 0 ? text.length : end + quote.length;
  }
  return at + matchAt(TOKEN, text, at)!.length;
}

/** Comments can hold others. */
function endOfComment(text: string, at: number): number {
  COMMENT_MARK.lastIndex = at;
  for (let depth = 0, mark; (mark = COMMENT_MARK.exec(text));) {
    depth += mark[0] === "/*" ? 1 : -1;
    if (depth === 0) return COMMENT_MARK.lastIndex;
  }
  return text.length;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
