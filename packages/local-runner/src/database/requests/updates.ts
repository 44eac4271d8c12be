import { readName } from "./conditions.ts";
import { type Tokens, tokensOf } from "./tokens.ts";

/** What an update expression of the supported subset does, with attributes as `name` or `#name`. */
export interface Update {
  /** Attributes whose present value `SET` reads, by itself or in `if_not_exists`. */
  read: string[];
  set: string[];
  /** The values that `SET` gives to attributes, as `:name`; not for an attribute that is set to what it or another one has. */
  values: Record<string, string>;
  removed: string[];
  /** Attributes that `ADD` and `DELETE` change. */
  changed: string[];
  /** Whether it does nothing but take away, by `REMOVE` and `DELETE`. */
  onlyRemoves: boolean;
}

/**
 * Reads an update expression of the supported subset.
 *
 * @throws {UnsupportedRequest} if it is not in the subset
 */
export const readUpdate = (expression: string): Update => {
  const tokens = tokensOf(expression);
  const update: Update = { read: [], set: [], values: {}, removed: [], changed: [], onlyRemoves: true };
  do {
    const clause = tokens.next().toUpperCase();
    const readAction = actions[clause] ?? tokens.refuse(`the clause ${clause}`);
    do readAction(tokens, update);
    while (tokens.accept(","));
    if (clause === "SET" || clause === "ADD") update.onlyRemoves = false;
  } while (tokens.peek() !== undefined);
  return update;
};

type ReadAction = (tokens: Tokens, update: Update) => void;

const readSet: ReadAction = (tokens, { read, set, values }) => {
  const attribute = readAttribute(tokens);
  set.push(attribute);
  tokens.expect("=");
  const source = readName(tokens);
  if (tokens.peek() !== "(") {
    if (source.startsWith(":")) values[attribute] = source;
    else read.push(source);
    return;
  }
  if (source !== "if_not_exists") tokens.refuse(`the function ${source}`);
  tokens.expect("(");
  read.push(readAttribute(tokens));
  tokens.expect(",");
  readValue(tokens);
  tokens.expect(")");
};

const readChange: ReadAction = (tokens, { changed }) => {
  changed.push(readAttribute(tokens));
  readValue(tokens);
};

const actions: Record<string, ReadAction> = {
  SET: readSet,
  REMOVE: (tokens, { removed }) => void removed.push(readAttribute(tokens)),
  ADD: readChange,
  DELETE: readChange,
};

const readAttribute = (tokens: Tokens): string => {
  const name = readName(tokens);
  return name.startsWith(":") ? tokens.refuse("a value in the place of an attribute") : name;
};

const readValue = (tokens: Tokens): void => {
  if (!readName(tokens).startsWith(":")) tokens.refuse("an attribute in the place of a value");
};
