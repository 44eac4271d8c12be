import { isExact } from "../exact-number.ts";
import { maxProblems, messagesFor, type Problem } from "./field-messages.ts";

/** Maximum depth of a JSON body. The body itself is the first level. */
export const maxDepth = 16;

/** Maximum members and items of a body. Validation takes up to a second for so many that are all invalid. */
const maxValues = 100_000;

/** An object or a list whose end has not been reached. */
interface Level {
  /** The current member or item. */
  at: string | number;
  /** The names that an object has had so far. */
  names?: Set<string>;
  /** Whether the next text is the name of a member. */
  expectsName?: boolean;
}

/**
 * Inspects the text of a JSON object for what `JSON.parse` would change silently, and names the path of each problem, such as
 * `lines.0.quantity`: a member that occurs twice, a number that would be rounded, and half of a surrogate pair. Any other text may
 * have any result, so it must also be parsed.
 *
 * It reads the text once from start to end, so a hostile body costs no more than an ordinary one of its size. A reviver of
 * `JSON.parse` would see the text of numbers, but neither their path nor repeated members.
 */
export const inspectJson = (json: string) => {
  const problems: Problem[] = [];
  const levels: Level[] = [];
  let hasNegativeZero = false;
  let values = 0;
  const report = (problem: string) => {
    problems.push([levels.map(({ at }) => at), problem]);
  };

  const enterText = (level: Level, text: string): void => {
    if (level.names && level.expectsName) {
      level.expectsName = false;
      level.at = text.toWellFormed();
      if (level.names.has(text)) report("must be sent once.");
      level.names.add(text);
    }
    if (!text.isWellFormed()) report("must be well-formed Unicode.");
  };
  const enterNumber = (text: string): void => {
    if (Object.is(Number(text), -0)) hasNegativeZero = true;
    if (!isExact(text)) report("would be rounded. Send at most 15 significant digits.");
  };

  let index = 0;
  while (index < json.length && levels.length <= maxDepth && values <= maxValues && problems.length < maxProblems) {
    const character = json[index] ?? "";
    const level = levels.at(-1);
    let end = index + 1;
    if ("{[,".includes(character)) values += 1;
    if (character === "{") levels.push({ at: "", names: new Set(), expectsName: true });
    else if (character === "[") levels.push({ at: 0 });
    else if (character === "}" || character === "]") levels.pop();
    else if (character === "," && level) enterNext(level);
    else if (character === '"' && level) {
      end = endOfText(json, index);
      enterText(level, decoded(json.slice(index, end)));
    } else if (startsNumber(character)) {
      while (continuesNumber(json[end] ?? " ")) end += 1;
      enterNumber(json.slice(index, end));
    }
    index = end;
  }
  if (values > maxValues) problems.push([[], `must have at most ${maxValues} members and items.`]);
  return {
    fields: messagesFor(problems, "body"),
    isClean: problems.length === 0,
    isTooDeep: levels.length > maxDepth,
    hasNegativeZero,
  };
};

const enterNext = (level: Level): void => {
  if (typeof level.at === "number") level.at += 1;
  else level.expectsName = true;
};

/** Returns the index after the closing quotation mark of the text that begins at `start`. */
const endOfText = (json: string, start: number): number => {
  for (let end = json.indexOf('"', start + 1); ; end = json.indexOf('"', end + 1)) {
    if (end === -1) return json.length;
    let backslashes = 0;
    while (json[end - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
};

const decoded = (text: string): string => (text.includes("\\") ? JSON.parse(text) : text.slice(1, -1));

const startsNumber = (character: string): boolean => "-0123456789".includes(character);
const continuesNumber = (character: string): boolean => "0123456789+-.eE".includes(character);
