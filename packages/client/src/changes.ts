import type { Data, Init, PathsWith } from "./calls.ts";

/** A page of changes, as far as all services have it. */
interface ChangesPage {
  cursor: string;
  more: boolean;
  changed: unknown[];
  deleted: unknown[];
}

/** The paths whose `GET` returns what has changed since a cursor. */
export type ChangesPath = {
  [Path in PathsWith<"GET">]: Data<Path, "GET"> extends ChangesPage ? Path : never;
}[PathsWith<"GET">];

interface Since {
  /** `cursor` of the last page that you have applied. Without it, the pages begin with a copy of everything. */
  cursor?: string | undefined;
}

/** The options of a call that follows changes. */
type ChangesInit<Path extends ChangesPath> =
  Init<Path, "GET"> extends [options: infer Options]
    ? [options: Options & Since]
    : Init<Path, "GET"> extends [options?: infer Options]
      ? [options?: Options & Since]
      : never;

/** Iterates over the pages of what has changed since a cursor. */
export type Changes = <Path extends ChangesPath>(
  path: Path,
  ...init: ChangesInit<Path>
) => AsyncGenerator<Data<Path, "GET">, void, undefined>;

interface AnyInit extends Since {
  params?: { query?: Record<string, unknown> };
}

/** Returns the call that follows changes, from the one that reads a page. */
export const changesWith = (get: (path: string, init: object) => Promise<unknown>) =>
  async function* (path: string, { cursor, params, ...init }: AnyInit = {}): AsyncGenerator<unknown, void, undefined> {
    let after = cursor ?? params?.query?.cursor;
    for (;;) {
      const query = { ...params?.query, cursor: after };
      const page = (await get(path, { ...init, params: { ...params, query } })) as ChangesPage;
      yield page;
      if (!page.more) return;
      after = page.cursor;
    }
  };
