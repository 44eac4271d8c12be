import type { Page } from "playwright-core";
import type { Leak, Token } from "../../web/admin/api/types.ts";
import type { Console } from "../support/console.ts";
import { exampleToken } from "../web/record-examples.ts";
import { inDays, type useInterface } from "./web-interface.ts";

/** Tokens that a page shows although the service does not have them. */
export interface Stock {
  tokens: Token[];
  leaks?: Leak[];
  /** Called before the response with each page of the list. A failure breaks the connection. */
  beforePage?: (isFirst: boolean) => Promise<void>;
}

/** Serves the token list, and requests for one token, from this stock instead of from the service. */
export const serveStock = async (
  page: Page,
  { tokens, leaks = [], beforePage = async () => {} }: Stock,
): Promise<void> => {
  await page.route("**/admin/leaks", (route) => route.fulfill({ json: { leaks } }));
  await page.route("**/admin/tokens/*", (route) => {
    const id = new URL(route.request().url()).pathname.split("/").at(-1);
    const token = tokens.find(({ token_id }) => token_id === id);
    return token && route.request().method() === "GET" ? route.fulfill({ json: token }) : route.fallback();
  });
  await page.route("**/admin/tokens?*", async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const [begin, limit] = [Number(query.get("cursor") ?? 0), Number(query.get("limit"))];
    const end = begin + limit;
    try {
      await beforePage(begin === 0);
    } catch {
      return route.abort();
    }
    const next_cursor = end < tokens.length ? String(end) : null;
    return route.fulfill({ json: { tokens: tokens.slice(begin, end), next_cursor } });
  });
};

/** Opens the list of a stock. */
export const openStock = (
  ui: ReturnType<typeof useInterface>,
  stock: Stock,
  path = "/",
  width = 1280,
): Promise<Console> => ui.open(path, { width, prepare: (page) => serveStock(page, stock) });

/** Tokens that need no attention: `client 0`, `client 1` and so on, each issued a second later. */
export const numbered = (count: number, fields: Partial<Token> = {}): Token[] =>
  Array.from({ length: count }, (_, index) =>
    exampleToken({
      token_id: `01M7ZZZZZZ${String(index).padStart(16, "0")}`,
      comment: `client ${index}`,
      issued_at: new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString(),
      last_used_at: inDays(-1),
      ...fields,
    }),
  );

/** A leak whose addresses were used at the same time, so that their order is the given one. */
export const leakOf = ({ token_id }: Token, ips: string[]): Leak => {
  const usage = { first_at: inDays(-2), last_at: inDays(-1) };
  return {
    token_id,
    time: usage.last_at,
    source_ip: String(ips[0]),
    addresses: ips.map((source_ip) => ({ source_ip, ...usage })),
    unlisted_at: null,
  };
};
