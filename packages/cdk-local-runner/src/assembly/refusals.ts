import { matchesPattern } from "../support/aws-environment.ts";
import { isRecord } from "../support/json.ts";
import { LocalError } from "../support/local-error.ts";

/** Says why something can't run locally, with one sentence for each reason. */
export class Refusal extends LocalError {
  override name = "Refusal";
  readonly sentences: string[];
  /** What to leave out to start anyway: resource types, or paths of constructs. */
  readonly entries: readonly string[];

  constructor(sentences: string[], { entries = [], ...options }: ErrorOptions & { entries?: readonly string[] } = {}) {
    const [only = "", ...others] = sentences;
    const list = sentences.map((sentence) => `- ${sentence.replace(" cannot run locally:", ":")}`).join("\n");
    super(others.length === 0 ? only : `${sentences.length} things cannot run locally:\n\n${list}`, options);
    this.sentences = sentences;
    this.entries = entries;
  }
}

/** Returns what was read, or undefined if it can't run locally. */
export type Attempt = <Value>(read: () => Value) => Value | undefined;

/** Collects refusals, so that a single start reports all of them. */
export const collectRefusals = (): { attempt: Attempt; throwIfAny: () => void } => {
  const sentences = new Set<string>();
  const entries = new Set<string>();
  return {
    attempt(read) {
      try {
        return read();
      } catch (error) {
        if (!(error instanceof LocalError)) throw error;
        for (const sentence of error instanceof Refusal ? error.sentences : [error.message]) sentences.add(sentence);
        for (const entry of error instanceof Refusal ? error.entries : []) entries.add(entry);
        return undefined;
      }
    },
    throwIfAny() {
      if (sentences.size > 0) throw new Refusal([...sentences], { entries: [...entries] });
    },
  };
};

/** What the user chose to leave out of a local run. */
export interface Ignored {
  /** Whether a resource with a path in the CDK's tree, or one of its attributes, is left out. */
  covers: (logicalId: string, type: string, path?: unknown) => boolean;
  /** Returns the properties of a resource without those that are left out. */
  without: (logicalId: string, type: string, properties: Record<string, unknown>) => Record<string, unknown>;
  /** Lists what has been left out so far. */
  list: () => string[];
  /** Throws a `LocalError` if an entry has left out nothing. */
  checkUse: () => void;
}

/**
 * Parses the entries. Each is a logical id or a resource type, optionally followed by a dot and the path of a property, or the path
 * of a construct, with everything in it.
 *
 * @example createIgnored(["Queue4A7E3555", "MyStack/Orders", "AWS::ApiGateway::*", "AWS::Lambda::Function.VpcConfig"])
 */
export const createIgnored = (entries: readonly string[]): Ignored => {
  const leftOut = new Set<string>();
  const used = new Set<string>();
  const note = (entry: string, what: string) => {
    used.add(entry);
    leftOut.add(what);
  };
  return {
    covers(logicalId, type, path = "") {
      const entry = entries.find(
        (one) => one === logicalId || matchesPattern(one, type) || `${path}/`.startsWith(`${one}/`),
      );
      if (entry !== undefined) note(entry, `${logicalId} (${type})`);
      return entry !== undefined;
    },
    without(logicalId, type, properties) {
      return entries.reduce((rest, entry) => {
        const [name, ...path] = entry.split(".");
        if (path.length === 0 || (name !== logicalId && name !== type) || !hasAt(rest, path)) return rest;
        note(entry, `${path.join(".")} of ${logicalId} (${type})`);
        return withoutPath(rest, path);
      }, properties);
    },
    list: () => [...leftOut],
    checkUse() {
      const unused = entries.filter((entry) => !used.has(entry));
      if (unused.length > 0) throw new LocalError(`No resource and no property is called ${unused.join(" or ")}.`);
    },
  };
};

const hasAt = (value: unknown, [name = "", ...path]: string[]): boolean =>
  isRecord(value) && name in value && (path.length === 0 || hasAt(value[name], path));

const withoutPath = (properties: Record<string, unknown>, [name = "", ...path]: string[]): Record<string, unknown> => {
  const { [name]: value, ...others } = properties;
  return path.length > 0 && isRecord(value) ? { ...others, [name]: withoutPath(value, path) } : others;
};
