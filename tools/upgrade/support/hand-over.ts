import { callTarget, invokeAdmin, isFailure, type Request } from "../../support/traffic/caller.ts";
import type { Answered } from "../../support/traffic/calls.ts";
import type { Held } from "../../support/traffic/token-pool.ts";
import { areCompatible } from "./compatible-responses.ts";
import type { Version } from "./versions.ts";

type Fields = Record<string, unknown>;

/** What a hand-over works with. */
export interface HandOver {
  /** The version that writes first. */
  writer: Version;
  /** The version that has to continue with what the writer has written. */
  reader: Version;
  /** Calls a version with a token, from its own address unless the request says otherwise. */
  call: (
    version: Version,
    held: Held,
    request: Omit<Request, "from" | "token"> & { from?: string },
  ) => Promise<Answered>;
  /** Performs an admin action. */
  admin: (version: Version, action: string, fields?: Fields) => Promise<Fields>;
  /** Notes a difference unless two values agree. */
  expect: (what: string, actual: unknown, expected: unknown) => void;
}

interface HandOverOptions extends Pick<HandOver, "writer" | "reader"> {
  differences: string[];
  /** Where the uses of each token are counted, and calls that failed. */
  uses: Map<string, number>;
  failures: Map<string, number>;
}

export const prepareHandOver = ({ writer, reader, differences, uses, failures }: HandOverOptions): HandOver => {
  const note = (difference: string) => differences.push(`from ${writer.name} to ${reader.name}: ${difference}`);
  return {
    writer,
    reader,
    expect(what, actual, expected) {
      if (areCompatible(actual, expected)) return;
      note(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
    },
    async call({ target }, { id, text, ip }, request) {
      const answered = await callTarget(target, { from: ip, token: text, ...request });
      const counts = isFailure(answered) ? failures : uses;
      counts.set(id, (counts.get(id) ?? 0) + 1);
      try {
        target.assertDescribed(request.method, request.path, answered);
      } catch (error) {
        note(String(error));
      }
      return answered;
    },
    async admin({ target }, action, fields = {}) {
      const { text } = await invokeAdmin(target, { ...fields, action });
      const { trace: _, ...answer }: Fields = JSON.parse(text) ?? {};
      return answer;
    },
  };
};
