import { asObject } from "../../text/values.ts";

/**
 * The cards of a board that Trello exports as JSON, with the names of their lists and of the board;
 * null for any other document.
 */
export function cardsOf(value: unknown): unknown[] | null {
  const board = asObject(value);
  if (!board || !Array.isArray(board.cards) || !Array.isArray(board.lists)) return null;
  const lists = new Map(board.lists.map(asObject).map((list) => [list?.id, list]));
  return board.cards.map((value: unknown) => {
    const card = asObject(value);
    if (!card) return value;
    const list = lists.get(card.idList);
    return {
      ...card,
      description: card.desc,
      status: list?.name ?? null,
      product: board.name ?? null,
      archived: card.closed === true || list?.closed === true,
    };
  });
}
