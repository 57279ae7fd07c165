/** A JSON response that is not cached. */
export function answerUncached(value: unknown, status = 200): Response {
  return Response.json(value, { status, headers: { "Cache-Control": "no-store" } });
}
